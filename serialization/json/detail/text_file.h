#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <tern/core/base/error.h>
#include <tern/serialization/file/detail/input_file.h>

namespace tern::detail {

/// The text of a file with a current position. A window of the text is in memory and moves with the
/// position. Error texts name line and column.
class TextFile {
 public:
  /// The largest size of a word or a number in bytes; strings may be longer.
  static constexpr std::size_t kMaxToken = 4096;

  explicit TextFile(const InputFile& file);

  std::uint64_t size() const { return file_.size(); }
  /// Returns the position in bytes from the start of the file.
  std::uint64_t offset() const { return begin_ + static_cast<std::uint64_t>(at_ - window_.get()); }
  bool at_end() const { return offset() == size(); }

  /// Returns the text at the position: at least kMaxToken bytes, or the rest of the file. Valid
  /// until the position changes. A NUL follows the text; it is no part of any JSON token, so loops
  /// stop there without a check for the end.
  const char* at() {
    if (at_ >= refill_at_) refill(offset());
    return at_;
  }
  char peek() { return *at(); }
  /// Returns true if the NUL at `end` is the end of the window, but not of the file. A token that
  /// reaches `end` then continues after the window.
  bool is_cut(const char* end) const { return end == end_ && refill_at_ <= end_; }

  /// Moves to a position in the text that at() returned.
  void move_to(const char* at) { at_ = at; }
  void skip(std::size_t count) { at_ += count; }
  /// Moves to any position in the file.
  void seek(std::uint64_t offset);
  /// Skips the white space of JSON. Returns the next character, or a NUL at the end of the file.
  char skip_space() {
    for (;; ++at_) {
      const char c = peek();
      if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return c;
    }
  }

  /// Throws FileError with the path, the line and column of `offset`, and the parts.
  template <class... Parts>
  [[noreturn]] __attribute__((noinline, cold)) void fail(std::uint64_t offset,
                                                         const Parts&... parts) const {
    raise<FileError>(place(offset), ": ", parts...);
  }

 private:
  void refill(std::uint64_t offset);
  std::string place(std::uint64_t offset) const;

  const InputFile& file_;
  std::unique_ptr<char[]> window_;
  std::uint64_t begin_ = 0;  // position of the window in the file
  const char* at_;
  const char* end_;        // end of the text in the window; a NUL
  const char* refill_at_;  // at() reads more from here on; after end_ if the file has no more text
};

}  // namespace tern::detail
