#include <tern/train/tensorboard/detail/proto.h>

#include <tern/serialization/file/detail/little_endian.h>

namespace tern::train::detail {
namespace {

using tern::detail::append_little;

// The kinds of values, in the low three bits of a tag.
constexpr std::uint32_t kVarint = 0, kEightBytes = 1, kSized = 2, kFourBytes = 5;

}  // namespace

void Message::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7F) | 0x80);
  bytes_ += static_cast<char>(value);
}

void Message::tag(std::uint32_t field, std::uint32_t kind) { varint(field << 3 | kind); }

Message& Message::integer(std::uint32_t field, std::int64_t value) {
  tag(field, kVarint);
  varint(static_cast<std::uint64_t>(value));
  return *this;
}

Message& Message::real(std::uint32_t field, double value) {
  tag(field, kEightBytes);
  append_little<double>(bytes_, value);
  return *this;
}

Message& Message::real32(std::uint32_t field, float value) {
  tag(field, kFourBytes);
  append_little<float>(bytes_, value);
  return *this;
}

Message& Message::text(std::uint32_t field, std::string_view bytes) {
  tag(field, kSized);
  varint(bytes.size());
  bytes_ += bytes;
  return *this;
}

Message& Message::message(std::uint32_t field, const Message& message) {
  return text(field, message.bytes());
}

Message& Message::reals(std::uint32_t field, const std::vector<double>& values) {
  tag(field, kSized);
  varint(values.size() * sizeof(double));
  for (const double value : values) append_little<double>(bytes_, value);
  return *this;
}

}  // namespace tern::train::detail
