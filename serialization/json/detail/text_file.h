#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <tern/core/base/error.h>
#include <tern/serialization/file/detail/input_file.h>

namespace tern::detail {

/// The text of a file, read through a window that moves along with the place of the reader. Errors
/// say line and column.
class TextFile {
 public:
  /// A word or a number may be so long; strings may be longer.
  static constexpr std::size_t kMaxToken = 4096;

  explicit TextFile(const InputFile& file);

  std::uint64_t size() const { return file_.size(); }
  /// The place: how many bytes lie before it.
  std::uint64_t offset() const { return begin_ + static_cast<std::uint64_t>(at_ - window_.get()); }
  bool at_end() const { return offset() == size(); }

  /// The text from here on, valid until the place changes: kMaxToken bytes or more, or all that the
  /// file still has. A NUL, which is part of no JSON, follows: no loop needs to look for the end.
  const char* at() {
    if (at_ >= refill_at_) refill(offset());
    return at_;
  }
  char peek() { return *at(); }
  /// Whether the NUL at `end` only ends the window: a token that reaches it goes on.
  bool is_cut(const char* end) const { return end == end_ && refill_at_ <= end_; }

  /// Goes to a place inside of what at() gave.
  void move_to(const char* at) { at_ = at; }
  void skip(std::size_t count) { at_ += count; }
  /// Goes to any place, backwards as well.
  void seek(std::uint64_t offset);
  /// Goes behind JSON's white space, and returns what stands there: a NUL at the end.
  char skip_space() {
    for (;; ++at_) {
      const char c = peek();
      if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return c;
    }
  }

  /// Throws FileError: path, line and column of `offset`, then the parts.
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
  std::uint64_t begin_ = 0;  // where in the file the window begins
  const char* at_;
  const char* end_;        // of what the window holds; a NUL
  const char* refill_at_;  // from here on, at() reads more; behind end_ when there is no more
};

}  // namespace tern::detail
