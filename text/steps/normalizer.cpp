#include <tern/text/detail/normalizer.h>

#include <algorithm>

namespace tern::text {
namespace {

/// Builds the text anew: `put(to, code, origin)` appends what becomes of each character.
template <class Put>
void rebuild(AlignedText& text, const Put& put) {
  AlignedText changed;
  text.for_each([&](char32_t code, Span origin) { put(changed, code, origin); });
  text = std::move(changed);
}

/// Returns true if all characters are below `limit`.
bool is_below(std::string_view text, char32_t limit) {
  for (std::size_t at = 0; at < text.size();) {
    const auto [code, size] = decode_at(text, at);
    if (code >= limit) return false;
    at += size;
  }
  return true;
}

void to_normal_form(AlignedText& text, bool composed, bool compatible) {
  // No text of Latin-1 and its extensions changes in NFC; in the other forms, none of ASCII.
  if (is_below(text.view(), composed && !compatible ? 0x300 : 0x80)) return;
  std::u32string codes;
  text.for_each([&](char32_t code, Span) { codes.push_back(code); });
  text.apply(normal_form(codes, composed, compatible));
}

void to_lower(AlignedText& text) {
  rebuild(text, [](AlignedText& to, char32_t code, Span origin) {
    if (code == 0x130) {
      to.append(U'i', origin);
      to.append(0x307, origin);
    } else {
      to.append(lower_of(code), origin);
    }
  });
}

template <class IsMark>
void remove(AlignedText& text, const IsMark& is_removed) {
  rebuild(text, [&](AlignedText& to, char32_t code, Span origin) {
    if (!is_removed(code)) to.append(code, origin);
  });
}

void run_bert(const Normalizer& step, AlignedText& text) {
  if (step.clean_text || step.pad_cjk) {
    rebuild(text, [&](AlignedText& to, char32_t code, Span origin) {
      if (step.clean_text) {
        if (code == 0 || code == kReplacement || is_control(code)) return;
        if (is_space(code)) code = ' ';
      }
      const bool is_padded = step.pad_cjk && is_cjk(code);
      if (is_padded) to.append(U' ', origin);
      to.append(code, origin);
      if (is_padded) to.append(U' ', origin);
    });
  }
  if (step.strip_accents) {
    to_normal_form(text, false, false);
    if (!is_below(text.view(), 0x300)) remove(text, is_nonspacing_mark);
  }
  if (step.lowercase) to_lower(text);
}

void strip(AlignedText& text, bool left, bool right) {
  const std::string_view view = text.view();
  std::size_t begin = 0, end = view.size();
  while (left && begin < end) {
    const auto [code, size] = decode_at(view, begin);
    if (!is_space(code)) break;
    begin += size;
  }
  while (right && end > begin) {
    const std::size_t last = before(view, end);
    if (!is_space(decode_at(view, last).code)) break;
    end = last;
  }
  if (begin == 0 && end == view.size()) return;
  text = text.slice({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
}

// What stands for a pattern takes the origin of the pattern's last character.
void replace(AlignedText& text, std::string_view pattern, std::string_view content) {
  const std::string_view view = text.view();
  std::size_t at = view.find(pattern);
  if (at == view.npos) return;
  AlignedText changed;
  std::size_t copied = 0;
  const auto copy_to = [&](std::size_t end) {
    changed.append(text, {static_cast<std::uint32_t>(copied), static_cast<std::uint32_t>(end)});
  };
  while (at != view.npos) {
    copy_to(at);
    copied = at + pattern.size();
    const std::size_t last = before(view, copied);
    changed.append(content, text.origin({static_cast<std::uint32_t>(last),
                                         static_cast<std::uint32_t>(copied)}));
    at = view.find(pattern, copied);
  }
  copy_to(view.size());
  text = std::move(changed);
}

void prepend(AlignedText& text, std::string_view content) {
  const std::string_view view = text.view();
  if (view.empty()) return;
  AlignedText changed;
  changed.append(content, text.origin({0, decode_at(view, 0).size}));
  changed.append(text, {0, static_cast<std::uint32_t>(view.size())});
  text = std::move(changed);
}

}  // namespace

void normalize(const std::vector<Normalizer>& steps, AlignedText& text) {
  for (const Normalizer& step : steps) {
    switch (step.kind) {
      case Normalizer::Kind::kNormalForm:
        to_normal_form(text, step.composed, step.compatible);
        break;
      case Normalizer::Kind::kLowercase:
        to_lower(text);
        break;
      case Normalizer::Kind::kStripAccents:
        remove(text, is_mark);
        break;
      case Normalizer::Kind::kBert:
        run_bert(step, text);
        break;
      case Normalizer::Kind::kStrip:
        strip(text, step.left, step.right);
        break;
      case Normalizer::Kind::kReplace:
        replace(text, step.pattern, step.content);
        break;
      case Normalizer::Kind::kPrepend:
        prepend(text, step.content);
        break;
    }
  }
}

}  // namespace tern::text
