#pragma once

#include <string>
#include <vector>

#include <tern/text/decode_stream.h>
#include <tern/text/generation/options.h>

namespace tern::text {

/// The text of a sample while it is written. Gives whole characters to on_text, but no beginning of
/// a stop string.
class TextWriter {
 public:
  TextWriter(const Tokenizer& tokenizer, const GenerationOptions& options, std::size_t sample);

  /// What a token or the end of the text leads to.
  enum class Result { kGoOn, kStopString, kCallback };
  /// Adds a token.
  Result add(std::int64_t token);
  /// Adds the rest, unless the text has ended.
  Result finish();
  /// Returns the text.
  std::string take() { return std::move(text_); }

 private:
  Result add_text(const std::string& piece, bool is_last);

  DecodeStream stream_;
  const GenerationOptions& options_;
  std::size_t sample_;
  std::string text_;
  std::size_t given_ = 0;  // so many bytes of the text went to on_text
  bool is_ended_ = false;
};

}  // namespace tern::text
