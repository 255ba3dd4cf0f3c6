#include "train/tensorboard/read_events.h"

#include <cstring>
#include <stdexcept>

namespace tern::testing {
namespace {

constexpr unsigned kVarint = 0, kEightBytes = 1, kSized = 2, kFourBytes = 5;

/// Returns the next `size` bytes and moves `at` behind them.
std::string take(const std::string& bytes, std::size_t& at, std::uint64_t size) {
  if (size > bytes.size() - at) throw std::runtime_error("the data end too early");
  at += size;
  return bytes.substr(at - size, size);
}

template <class T>
T number(const std::string& bytes) {
  T value;
  if (bytes.size() != sizeof value) throw std::runtime_error("wrong size of a number");
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

std::uint64_t varint(const std::string& bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(take(bytes, at, 1)[0]);
    value |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return value;
  }
  throw std::runtime_error("a varint has more than ten bytes");
}

/// The masked CRC-32C, bit by bit.
std::uint32_t checksum(const std::string& bytes) {
  std::uint32_t rest = 0xFFFFFFFF;
  for (const char byte : bytes) {
    rest ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ (rest & 1) * 0x82F63B78u;
  }
  rest ^= 0xFFFFFFFF;
  return (rest >> 15 | rest << 17) + 0xA282EAD8u;
}

}  // namespace

WireMessage::WireMessage(const std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::uint64_t tag = varint(bytes, at);
    Field field{static_cast<unsigned>(tag >> 3), static_cast<unsigned>(tag & 7), 0, {}};
    if (field.kind == kVarint) {
      field.integer = varint(bytes, at);
    } else if (field.kind == kEightBytes || field.kind == kFourBytes) {
      field.bytes = take(bytes, at, field.kind == kEightBytes ? 8 : 4);
    } else if (field.kind == kSized) {
      const std::uint64_t size = varint(bytes, at);
      field.bytes = take(bytes, at, size);
    } else {
      throw std::runtime_error("unknown kind of field");
    }
    fields_.push_back(std::move(field));
  }
}

std::size_t WireMessage::count(unsigned field) const {
  std::size_t found = 0;
  for (const Field& f : fields_) found += f.number == field;
  return found;
}

const WireMessage::Field& WireMessage::field(unsigned number, unsigned kind,
                                             std::size_t index) const {
  for (const Field& f : fields_) {
    if (f.number != number || index-- > 0) continue;
    if (f.kind != kind) throw std::runtime_error("another kind: field " + std::to_string(number));
    return f;
  }
  throw std::runtime_error("no field " + std::to_string(number));
}

std::string WireMessage::text(unsigned field, std::size_t index) const {
  return this->field(field, kSized, index).bytes;
}
WireMessage WireMessage::message(unsigned field, std::size_t index) const {
  return WireMessage(text(field, index));
}
std::int64_t WireMessage::integer(unsigned field) const {
  return count(field) == 0 ? 0 : static_cast<std::int64_t>(this->field(field, kVarint).integer);
}
double WireMessage::real(unsigned field) const {
  return number<double>(this->field(field, kEightBytes).bytes);
}
float WireMessage::real32(unsigned field) const {
  return number<float>(this->field(field, kFourBytes).bytes);
}
std::vector<double> WireMessage::reals(unsigned field) const {
  const std::string bytes = text(field);
  std::vector<double> values;
  for (std::size_t at = 0; at < bytes.size();) values.push_back(number<double>(take(bytes, at, 8)));
  return values;
}

std::vector<WireMessage> read_events(const std::string& bytes) {
  std::vector<WireMessage> events;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::string size = take(bytes, at, 8);
    if (number<std::uint32_t>(take(bytes, at, 4)) != checksum(size)) {
      throw std::runtime_error("checksum of a length");
    }
    const std::string data = take(bytes, at, number<std::uint64_t>(size));
    if (number<std::uint32_t>(take(bytes, at, 4)) != checksum(data)) {
      throw std::runtime_error("checksum of the data");
    }
    events.emplace_back(data);
  }
  return events;
}

}  // namespace tern::testing
