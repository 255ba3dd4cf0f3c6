#include <tern/core/base/text.h>

#include <cstdio>
#include <sstream>

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
    case Kind::kFloating: {
      char digits[32];
      const int size = std::snprintf(digits, sizeof digits, "%g", floating_);
      text.append(digits, static_cast<std::size_t>(size));
      return;
    }
    case Kind::kPrinted: {
      std::ostringstream out;
      print_(out, object_);
      text += out.str();
      return;
    }
  }
}

std::string join(std::initializer_list<TextPart> parts) {
  std::string text;
  for (const TextPart& part : parts) part.append_to(text);
  return text;
}

std::ostream& print_text(std::ostream& out, std::string_view text) { return out << text; }

}  // namespace tern::detail
