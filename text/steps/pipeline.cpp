#include <tern/text/detail/pipeline.h>

#include <tern/core/base/error.h>

namespace tern::text {
namespace {

/// Encodes a text with the words that the tokenizer has kept.
class Encoder {
 public:
  Encoder(const Pipeline& pipeline, bool parse_special, bool spans)
      : pipeline_(pipeline),
        cache_(pipeline.caches.take()),
        parse_special_(parse_special),
        spans_(spans) {}
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  ~Encoder() { pipeline_.caches.give_back(std::move(cache_)); }

  Sequence run(const AlignedText& input) {
    for (const auto& [span, id] : pipeline_.added.cut(input.view(), false, parse_special_)) {
      if (id != kNoId) {
        put(id, input, span);
        continue;
      }
      AlignedText text = input.slice(span);
      normalize(pipeline_.normalizers, text);
      for (const auto& [part, added] : pipeline_.added.cut(text.view(), true, parse_special_)) {
        if (added != kNoId) {
          put(added, text, part);
        } else {
          encode(text, part);
        }
      }
    }
    return std::move(found_);
  }

 private:
  void put(std::uint32_t id, const AlignedText& text, Span span) {
    found_.ids.push_back(id);
    if (spans_) found_.spans.push_back(text.origin(span));
  }

  void encode(const AlignedText& whole, Span part) {
    if (pipeline_.pieces) {
      encode_pieces(whole.slice(part));
      return;
    }
    Pieces pieces{whole.slice(part), {{0, part.end - part.begin}}};
    pre_tokenize(pipeline_.pre_tokenizers, pieces);
    const std::string_view view = pieces.text.view();
    for (const Span piece : pieces.pieces) {
      if (piece.begin == piece.end) continue;
      const std::string_view word = view.substr(piece.begin, piece.end - piece.begin);
      tokens_.clear();
      if (!cache_->find(word, tokens_)) {
        pipeline_.model->encode(word, tokens_);
        cache_->put(word, tokens_.data(), tokens_.size());
      }
      std::uint32_t at = piece.begin;
      for (const auto& [id, size] : tokens_) {
        put(id, pieces.text, {at, at + size});
        at += size;
      }
    }
  }

  void encode_pieces(const AlignedText& text) {
    const std::string_view view = text.view();
    for (const auto& [id, begin, end] : pipeline_.pieces->encode(view)) {
      found_.ids.push_back(id);
      if (!spans_) continue;
      if (begin < end) {
        found_.spans.push_back(text.origin({begin, end}));
        continue;
      }
      // The place of a blank that was added.
      const auto size = static_cast<std::uint32_t>(view.size());
      const std::uint32_t at =
          begin < size ? text.origin({begin, begin + decode_at(view, begin).size}).begin
                       : text.origin({static_cast<std::uint32_t>(before(view, size)), size}).end;
      found_.spans.push_back({at, at});
    }
  }

  const Pipeline& pipeline_;
  std::unique_ptr<WordCache> cache_;
  bool parse_special_, spans_;
  Sequence found_;
  std::vector<PieceToken> tokens_;
};

}  // namespace

Sequence Pipeline::encode(std::string_view text, bool parse_special, bool spans) const {
  TERN_CHECK(text.size() < kNoId, Error, "encode: a text has at most ", kNoId - 1,
             " bytes, got one of ", text.size());
  std::size_t invalid = find_invalid(text);
  Encoder encoder(*this, parse_special, spans);
  if (invalid == text.size()) return encoder.run(AlignedText(text, 0));

  // U+FFFD for each broken part, which is its origin.
  AlignedText mended;
  const AlignedText input(text, 0);
  std::uint32_t at = 0;
  while (true) {
    const auto end = static_cast<std::uint32_t>(invalid);
    mended.append(input, {at, end});
    if (invalid == text.size()) break;
    at = end + scan_utf8(text, end).size;
    mended.append(kReplacement, {end, at});
    invalid = find_invalid(text, at);
  }
  return encoder.run(mended);
}

bool Pipeline::is_special(std::uint32_t id) const {
  const AddedToken* const token = added.find(id);
  return token != nullptr && token->special;
}

std::optional<std::string_view> Pipeline::token(std::uint32_t id) const {
  if (const AddedToken* token = added.find(id)) return token->text;
  return vocabulary.has(id) ? std::optional(vocabulary.text(id)) : std::nullopt;
}

std::uint32_t Pipeline::id(std::string_view token) const {
  if (const AddedToken* found = added.find(token)) return found->id;
  return vocabulary.find(token);
}

}  // namespace tern::text
