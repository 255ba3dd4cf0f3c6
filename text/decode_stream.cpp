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
  const std::string& token = tokenizer_.id_to_token(id);
  if (skip_special_tokens_ && tokenizer_.is_special(id)) return "";
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

std::string DecodeStream::finish() {
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
