#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tern/core/base/visibility.h>
#include <tern/text/tokenizer.h>

namespace tern::text {

/// Turns tokens into text one by one, while a model writes them. What it returns, joined, is the
/// text of Tokenizer::decode().
///
/// Example:
///   tern::text::DecodeStream stream(tokenizer);
///   for (std::int64_t id : ids) std::cout << stream.next(id) << std::flush;
///   std::cout << stream.finish() << "\n";
class TERN_API DecodeStream {
 public:
  /// Begins a text.
  explicit DecodeStream(Tokenizer tokenizer, bool skip_special_tokens = true);

  /// Adds a token and returns the text that is complete by now: nothing while a character lacks
  /// bytes. Throws IndexError for an id that no token has, which changes nothing.
  std::string next(std::int64_t id);
  /// Ends the text and returns the rest of it: U+FFFD for a character that lacks bytes.
  std::string finish();

 private:
  std::string next_bytes(const std::string& token);
  std::string next_of_window(std::int64_t id);
  std::string next_piece(std::uint32_t id, const std::string& token);
  std::string take_pieces();

  Tokenizer tokenizer_;
  bool skip_special_tokens_;
  std::string bytes_;                  // of a character that lacks some
  std::vector<std::int64_t> ids_;      // whose text depends on each other
  std::size_t given_ = 0;              // so many of these ids are in the text that next() returned
  std::vector<std::uint32_t> pieces_;  // of SentencePiece, whose text was not returned yet
  bool is_beginning_ = true;           // the pieces begin a text
};

}  // namespace tern::text
