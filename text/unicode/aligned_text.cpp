#include <tern/text/detail/aligned_text.h>

namespace tern::text {

Span AlignedText::origin(Span part) const {
  if (is_own_) return {spans_[part.begin].begin, spans_[part.end - 1].end};
  while (part.begin > 0 && is_continuation(part_[part.begin])) --part.begin;
  while (part.end < part_.size() && is_continuation(part_[part.end])) ++part.end;
  return {begin_ + part.begin, begin_ + part.end};
}

AlignedText AlignedText::slice(Span part) const {
  if (!is_own_) return {part_.substr(part.begin, part.end - part.begin), begin_ + part.begin};
  AlignedText text;
  text.append(*this, part);
  return text;
}

void AlignedText::append(char32_t code, Span origin) {
  append_utf8(code, bytes_);
  spans_.resize(bytes_.size(), origin);
}

void AlignedText::append(std::string_view text, Span origin) {
  bytes_.append(text);
  spans_.resize(bytes_.size(), origin);
}

void AlignedText::append(const AlignedText& other, Span part) {
  const std::string_view text = other.view();
  bytes_.append(text.substr(part.begin, part.end - part.begin));
  if (other.is_own_) {
    spans_.insert(spans_.end(), other.spans_.begin() + part.begin, other.spans_.begin() + part.end);
    return;
  }
  for (std::uint32_t at = part.begin; at < part.end;) {
    const std::uint32_t next = at + decode_at(text, at).size;
    spans_.resize(spans_.size() + (next - at), {other.begin_ + at, other.begin_ + next});
    at = next;
  }
}

void AlignedText::apply(const std::vector<Change>& changes) {
  std::vector<Span> old;
  for_each([&](char32_t, Span origin) { old.push_back(origin); });
  AlignedText text;
  std::size_t next = 0;
  for (const auto& [code, change] : changes) {
    if (change > 0) {
      text.append(code, next == 0 ? Span{0, 0} : old[next - 1]);
    } else {
      text.append(code, old[next]);
      next += static_cast<std::size_t>(1 - change);
    }
  }
  *this = std::move(text);
}

}  // namespace tern::text
