#include <tern/text/detail/encodings.h>

#include <algorithm>

#include <tern/core/base/error.h>

namespace tern::text {
namespace {

/// The form of the encoding; null if the texts stand alone.
const std::vector<TemplatePart>* form_of(const PostProcessor& step, bool is_pair,
                                         const EncodeOptions& options) {
  if (!step.has_template || !options.add_special_tokens) return nullptr;
  return is_pair ? &step.pair : &step.single;
}

void shorten(Sequence& text, std::size_t length, bool left) {
  if (text.ids.size() <= length) return;
  const auto removed = static_cast<std::ptrdiff_t>(text.ids.size() - length);
  const auto run = [&](auto& list) {
    if (list.empty()) return;
    if (left) {
      list.erase(list.begin(), list.begin() + removed);
    } else {
      list.resize(length);
    }
  };
  run(text.ids);
  run(text.spans);
}

void truncate(const Truncation& truncation, std::size_t added, std::vector<Sequence>& texts) {
  const auto wanted = static_cast<std::size_t>(truncation.max_length);
  TERN_CHECK(wanted == 0 || wanted >= added, Error, "truncation to ", wanted,
             " tokens leaves no room for the ", added, " tokens that the tokenizer adds");
  const std::size_t max = wanted == 0 ? 0 : wanted - added;
  std::size_t lengths[2] = {texts[0].ids.size(), texts.size() > 1 ? texts[1].ids.size() : 0};
  const std::size_t total = lengths[0] + lengths[1];
  if (total <= max) return;
  if (truncation.strategy == TruncationStrategy::kLongestFirst) {
    if (texts.size() == 1) {
      lengths[0] = max;
    } else {
      std::size_t& shorter = lengths[0] > lengths[1] ? lengths[1] : lengths[0];
      std::size_t& longer = lengths[0] > lengths[1] ? lengths[0] : lengths[1];
      longer = shorter > max ? shorter : std::max(shorter, max - shorter);
      if (shorter + longer > max) {
        shorter = max / 2;
        longer = shorter + max % 2;
      }
    }
  } else {
    const std::size_t which = truncation.strategy == TruncationStrategy::kOnlySecond ? 1 : 0;
    TERN_CHECK(which < texts.size(), Error,
               "truncation of the second text, but there is only one text");
    TERN_CHECK(lengths[which] > total - max, Error, "truncation to ", wanted, " tokens needs ",
               total - max, " tokens less, but the ", which == 0 ? "first" : "second",
               " text has only ", lengths[which]);
    lengths[which] -= total - max;
  }
  for (std::size_t i = 0; i < texts.size(); ++i) shorten(texts[i], lengths[i], truncation.left);
}

std::size_t added_tokens(const std::vector<TemplatePart>* form) {
  std::size_t count = 0;
  if (form) {
    for (const TemplatePart& part : *form) count += part.ids.size();
  }
  return count;
}

/// Returns how many blanks begin the token, in byte characters or as they are.
template <class Reader>
std::uint32_t count_blanks(std::string_view token, const Reader& next) {
  std::uint32_t count = 0;
  while (!token.empty()) {
    const char32_t code = next(token);
    if (code != 0x120 && !is_space(code)) break;
    ++count;
  }
  return count;
}

char32_t take_first(std::string_view& token) {
  const auto [code, size] = decode_at(token, 0);
  token.remove_prefix(size);
  return code;
}

char32_t take_last(std::string_view& token) {
  const std::size_t last = before(token, token.size());
  const char32_t code = decode_at(token, last).code;
  token.remove_suffix(token.size() - last);
  return code;
}

/// Returns the end of the character at `at`, or of the broken part of one.
std::uint32_t behind(std::string_view input, std::uint32_t at) {
  return at + scan_utf8(input, at).size;
}

/// Returns the beginning of the character, or of the broken part of one, that ends at `end`.
std::uint32_t begin_of(std::string_view input, std::uint32_t end) {
  const auto begin = static_cast<std::uint32_t>(before(input, end));
  return behind(input, begin) == end ? begin : end - 1;
}

void trim(const Pipeline& pipeline, std::string_view input, Sequence& text) {
  for (std::size_t i = 0; i < text.ids.size(); ++i) {
    Span& span = text.spans[i];
    // Added tokens may have taken blanks along.
    const std::string_view taken = input.substr(span.begin, span.end - span.begin);
    const bool is_added = pipeline.added.find(text.ids[i]) != nullptr;
    const std::string_view token =
        is_added && find_invalid(taken) == taken.size() ? taken : *pipeline.token(text.ids[i]);
    std::uint32_t leading = count_blanks(token, take_first);
    const std::uint32_t trailing = count_blanks(token, take_last);
    const bool is_first = i == 0 || span.begin == 0;
    // A single one may be the one that was added.
    if (leading == 1 && is_first && pipeline.post_processor.add_prefix_space) leading = 0;
    for (; leading > 0 && span.begin < span.end; --leading) span.begin = behind(input, span.begin);
    for (std::uint32_t k = 0; k < trailing && span.end > span.begin; ++k) {
      span.end = begin_of(input, span.end);
    }
  }
}

void append(const Pipeline& pipeline, const Sequence& text, std::int64_t type_id, Encoding& to) {
  const std::size_t count = text.ids.size();
  to.ids.insert(to.ids.end(), text.ids.begin(), text.ids.end());
  to.type_ids.insert(to.type_ids.end(), count, type_id);
  to.special_tokens_mask.insert(to.special_tokens_mask.end(), count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    to.tokens.emplace_back(*pipeline.token(text.ids[i]));
    to.offsets.push_back({text.spans[i].begin, text.spans[i].end});
  }
}

void append(const TemplatePart& part, Encoding& to) {
  const std::size_t count = part.ids.size();
  to.ids.insert(to.ids.end(), part.ids.begin(), part.ids.end());
  to.type_ids.insert(to.type_ids.end(), count, part.type_id);
  to.special_tokens_mask.insert(to.special_tokens_mask.end(), count, 1);
  to.tokens.insert(to.tokens.end(), part.tokens.begin(), part.tokens.end());
  to.offsets.insert(to.offsets.end(), count, {});
}

std::size_t padded_length(const Padding& padding, std::size_t longest) {
  const std::size_t length = padding.length ? static_cast<std::size_t>(*padding.length) : longest;
  const auto multiple = static_cast<std::size_t>(std::max<std::int64_t>(padding.multiple_of, 1));
  return (length + multiple - 1) / multiple * multiple;
}

/// Lengthens a list to `length`.
template <class T>
void lengthen(std::vector<T>& list, std::size_t length, bool left, const T& value) {
  if (list.size() >= length) return;
  list.insert(left ? list.begin() : list.end(), length - list.size(), value);
}

}  // namespace

Encoding finish(const Pipeline& pipeline, std::span<const std::string_view> inputs,
                std::vector<Sequence> texts, const EncodeOptions& options,
                const std::optional<Truncation>& truncation) {
  const auto* const form = form_of(pipeline.post_processor, texts.size() > 1, options);
  if (truncation) truncate(*truncation, added_tokens(form), texts);
  if (pipeline.post_processor.trim_offsets) {
    for (std::size_t i = 0; i < texts.size(); ++i) trim(pipeline, inputs[i], texts[i]);
  }
  Encoding encoding;
  if (form) {
    for (const TemplatePart& part : *form) {
      if (part.sequence < 0) {
        append(part, encoding);
      } else {
        append(pipeline, texts[static_cast<std::size_t>(part.sequence)], part.type_id, encoding);
      }
    }
  } else {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      append(pipeline, texts[i], static_cast<std::int64_t>(i), encoding);
    }
  }
  encoding.attention_mask.assign(encoding.ids.size(), 1);
  return encoding;
}

std::vector<std::int64_t> finish_ids(const Pipeline& pipeline, Sequence text,
                                     const EncodeOptions& options,
                                     const std::optional<Truncation>& truncation,
                                     const std::optional<Padding>& padding) {
  const auto* const form = form_of(pipeline.post_processor, false, options);
  std::vector<Sequence> texts;
  texts.push_back(std::move(text));
  if (truncation) truncate(*truncation, added_tokens(form), texts);
  std::vector<std::int64_t> ids;
  const auto append_ids = [&](const std::vector<std::uint32_t>& list) {
    ids.insert(ids.end(), list.begin(), list.end());
  };
  if (form) {
    for (const TemplatePart& part : *form) append_ids(part.sequence < 0 ? part.ids : texts[0].ids);
  } else {
    append_ids(texts[0].ids);
  }
  if (padding) lengthen(ids, padded_length(*padding, ids.size()), padding->left, padding->id);
  return ids;
}

void pad(const Padding& padding, std::span<Encoding> encodings) {
  std::size_t longest = 0;
  for (const Encoding& encoding : encodings) longest = std::max(longest, encoding.size());
  const std::size_t length = padded_length(padding, longest);
  for (Encoding& encoding : encodings) {
    lengthen(encoding.ids, length, padding.left, padding.id);
    lengthen(encoding.type_ids, length, padding.left, padding.type_id);
    lengthen(encoding.tokens, length, padding.left, padding.token);
    lengthen(encoding.offsets, length, padding.left, Offset{});
    lengthen(encoding.attention_mask, length, padding.left, std::int64_t{0});
    lengthen(encoding.special_tokens_mask, length, padding.left, std::int64_t{1});
  }
}

}  // namespace tern::text
