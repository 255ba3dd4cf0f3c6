#pragma once

#include <cstdint>
#include <string>

#include <tern/core/tensor/tensor.h>

namespace support {

/// The characters of a text (bytes), numbered in their order.
class Alphabet {
 public:
  /// Takes each character of the text once.
  explicit Alphabet(std::string text);

  /// Returns the number of characters.
  std::int64_t size() const { return static_cast<std::int64_t>(letters_.size()); }
  /// Returns the character with a number. Throws std::out_of_range.
  char letter(std::int64_t number) const { return letters_.at(static_cast<std::size_t>(number)); }

  /// Returns the numbers of a text, int64 [length]. Throws std::runtime_error for a character that
  /// is not in the alphabet; `source` says where the text is from.
  tern::Tensor encode(const std::string& text, const std::string& source) const;

  /// Returns the text of numbers on any device.
  std::string decode(const tern::Tensor& numbers) const;

 private:
  std::string letters_;
};

}  // namespace support
