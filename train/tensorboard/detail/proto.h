#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tern::train::detail {

/// Builds one message in the wire format of protocol buffers. Fields with the default value are
/// written, too.
class Message {
 public:
  /// Appends an integer, a bool or an enum. Negative numbers take ten bytes.
  Message& integer(std::uint32_t field, std::int64_t value);
  /// Appends a double.
  Message& real(std::uint32_t field, double value);
  /// Appends a float.
  Message& real32(std::uint32_t field, float value);
  /// Appends a string or bytes.
  Message& text(std::uint32_t field, std::string_view bytes);
  /// Appends a message.
  Message& message(std::uint32_t field, const Message& message);
  /// Appends a packed list of doubles.
  Message& reals(std::uint32_t field, const std::vector<double>& values);

  /// Returns the bytes.
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value);
  void tag(std::uint32_t field, std::uint32_t kind);

  std::string bytes_;
};

}  // namespace tern::train::detail
