#include "alphabet.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include <tern/core/ops/ops.h>

namespace support {

Alphabet::Alphabet(std::string text) : letters_(std::move(text)) {
  const auto less = [](char a, char b) {
    return static_cast<unsigned char>(a) < static_cast<unsigned char>(b);
  };
  std::sort(letters_.begin(), letters_.end(), less);
  letters_.erase(std::unique(letters_.begin(), letters_.end()), letters_.end());
}

tern::Tensor Alphabet::encode(const std::string& text, const std::string& source) const {
  std::vector<std::int64_t> numbers;
  numbers.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t at = letters_.find(text[i]);
    if (at == std::string::npos) {
      std::size_t end = i + 1;  // of the character in UTF-8
      while (end < text.size() && (text[end] & 0xC0) == 0x80) ++end;
      throw std::runtime_error(source + " has the character '" + text.substr(i, end - i) +
                               "', which the model does not know");
    }
    numbers.push_back(static_cast<std::int64_t>(at));
  }
  return tern::tensor(numbers);
}

std::string Alphabet::decode(const tern::Tensor& numbers) const {
  std::string text;
  for (const std::int64_t number : numbers.cpu().to_vector<std::int64_t>()) text += letter(number);
  return text;
}

}  // namespace support
