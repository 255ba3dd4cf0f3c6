#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace support {

/// A progress bar on standard output; off if the output is not a terminal.
///
/// Colours are left out when NO_COLOR is set.
class Progress {
 public:
  /// Counts to `total`. If `wanted` is false, the bar is off even on a terminal.
  Progress(std::string label, std::int64_t total, bool wanted);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Returns true if the bar is drawn. Otherwise the caller may print plain lines.
  bool on() const { return on_; }
  /// Shows `done` of the total with a note, at most about 20 times a second.
  void update(std::int64_t done, const std::string& note);
  /// Erases the bar from its line.
  void clear();

 private:
  std::string label_;
  std::int64_t total_;
  bool on_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace support
