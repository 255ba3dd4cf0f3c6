#include <tern/text/decode_stream.h>

#include <tern/text/detail/pipeline.h>

namespace tern::text {
namespace {

bool is_bytes(const Pipeline& pipeline) {
  return pipeline.decoders.size() == 1 && pipeline.decoders[0].kind == Decoder::Kind::kByteLevel;
}

}  // namespace

DecodeStream::DecodeStream(Tokenizer tokenizer, bool skip_special_tokens)
    : tokenizer_(std::move(tokenizer)), skip_special_tokens_(skip_special_tokens) {}

std::string DecodeStream::next(std::int64_t id) {
  const std::string token = tokenizer_.id_to_token(id);
  if (skip_special_tokens_ && tokenizer_.is_special(id)) return "";
  if (tokenizer_.pipeline_->pieces) return next_piece(static_cast<std::uint32_t>(id), token);
  return is_bytes(*tokenizer_.pipeline_) ? next_bytes(token) : next_of_window(id);
}

// Gives all but the beginning of a character at the end.
std::string DecodeStream::next_bytes(const std::string& token) {
  bytes_ += bytes_of_characters(token).value_or(token);
  std::size_t end = bytes_.size();
  for (std::size_t at = bytes_.size(); at > 0 && bytes_.size() - at < 3;) {
    --at;
    if (is_continuation(bytes_[at])) continue;
    if (scan_utf8(bytes_, at).cut) end = at;
    break;
  }
  std::string text = with_replacements(std::string_view(bytes_).substr(0, end));
  bytes_.erase(0, end);
  return text;
}

// The text of the last tokens, without the text of those that were given before. Steps look at
// neighbours alone.
std::string DecodeStream::next_of_window(std::int64_t id) {
  ids_.push_back(id);
  const std::vector<std::int64_t> given(ids_.begin(),
                                        ids_.begin() + static_cast<std::ptrdiff_t>(given_));
  const std::string before = tokenizer_.decode(given, skip_special_tokens_);
  const std::string text = tokenizer_.decode(ids_, skip_special_tokens_);
  if (text.size() <= before.size() || text.ends_with("\xEF\xBF\xBD")) return "";
  ids_.erase(ids_.begin(), ids_.begin() + static_cast<std::ptrdiff_t>(given_));
  given_ = ids_.size();
  return text.substr(before.size());
}

std::string DecodeStream::next_piece(std::uint32_t id, const std::string& token) {
  const Pipeline& pipeline = *tokenizer_.pipeline_;
  if (!pipeline.is_piece(id)) {
    std::string text = take_pieces() + token;
    is_beginning_ = true;
    return text;
  }
  pieces_.push_back(id);
  if (pipeline.pieces->ends_inside_character(pieces_)) return "";
  std::string text = pipeline.pieces->decode(pieces_, is_beginning_);
  if (text.empty()) return "";  // a blank that is left out: what follows may depend on it
  is_beginning_ = false;
  pieces_.clear();
  return text;
}

std::string DecodeStream::take_pieces() {
  if (pieces_.empty()) return "";
  std::string text = tokenizer_.pipeline_->pieces->decode(pieces_, is_beginning_);
  pieces_.clear();
  return text;
}

std::string DecodeStream::finish() {
  if (tokenizer_.pipeline_->pieces) {
    std::string text = take_pieces();
    is_beginning_ = true;
    return text;
  }
  std::string text = with_replacements(bytes_);
  if (given_ < ids_.size()) {
    const std::vector<std::int64_t> given(ids_.begin(),
                                          ids_.begin() + static_cast<std::ptrdiff_t>(given_));
    const std::string before = tokenizer_.decode(given, skip_special_tokens_);
    const std::string all = tokenizer_.decode(ids_, skip_special_tokens_);
    if (all.size() > before.size()) text += all.substr(before.size());
  }
  bytes_.clear();
  ids_.clear();
  given_ = 0;
  return text;
}

}  // namespace tern::text
