#include <tern/core/base/text.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include <tern/core/base/detail/plain_text.h>

namespace tern::detail {

void TextPart::append_to(std::string& text) const {
  switch (kind_) {
    case Kind::kText:
      text.append(static_cast<const char*>(object_), size_);
      return;
    case Kind::kCharacter:
      text += static_cast<char>(signed_);
      return;
    case Kind::kSigned:
      text += std::to_string(signed_);
      return;
    case Kind::kUnsigned:
      text += std::to_string(unsigned_);
      return;
    case Kind::kFloating:
      text += number_text(floating_, 'g', 6);
      return;
    case Kind::kPrinted: {
      std::ostringstream out;
      out.imbue(std::locale::classic());
      print_(out, object_);
      text += out.str();
      return;
    }
  }
}

std::string number_text(double value, char kind, int precision) {
  const auto format = kind == 'e'   ? std::chars_format::scientific
                      : kind == 'f' ? std::chars_format::fixed
                                    : std::chars_format::general;
  constexpr int kMostBeforePoint = 320;  // the largest double has 309 digits
  std::string text(static_cast<std::size_t>(kMostBeforePoint + std::max(precision, 0)), '\0');
  char* const begin = text.data();
  const auto end = std::to_chars(begin, begin + text.size(), value, format, precision).ptr;
  text.resize(static_cast<std::size_t>(end - begin));
  return text;
}

std::string join(std::initializer_list<TextPart> parts) {
  std::string text;
  for (const TextPart& part : parts) part.append_to(text);
  return text;
}

std::ostream& print_text(std::ostream& out, std::string_view text) { return out << text; }

}  // namespace tern::detail
