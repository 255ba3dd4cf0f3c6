#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include <tern/core/base/visibility.h>
#include <tern/nn/options/options_arg.h>

namespace tern::train {

/// How a ProgressBar shows itself.
enum class ProgressMode : std::int8_t {
  Auto,   ///< a bar on a terminal, lines otherwise
  Bar,    ///< a bar that is drawn over and over in one line
  Lines,  ///< a line of text from time to time, for log files
  Off,    ///< nothing
};

/// Options of ProgressBar.
struct ProgressOptions {
  /// How the bar shows itself.
  TERN_ARG(ProgressMode, mode) = ProgressMode::Auto;
  /// The count at the start, for training that continues.
  TERN_ARG(std::int64_t, initial) = 0;
  /// The shortest time between two lines in seconds.
  TERN_ARG(double, seconds_per_line) = 10;
};

/// Shows how far a loop is, its rate and the remaining time, on a stream that the program chooses.
/// Errors of the stream are ignored. A bar is never wider than the terminal; it has no colours if
/// the environment variable NO_COLOR is set.
///
/// Example:
///   train::ProgressBar bar(stderr, "epoch 1", batches);
///   for (auto& batch : *loader) {
///     ...
///     bar.advance("loss " + std::to_string(loss));
///   }
///   bar.finish();
class TERN_API ProgressBar {
 public:
  /// Counts to `total`; 0 means an unknown total. Throws Error if `out` is null or a number is
  /// negative.
  ProgressBar(std::FILE* out, std::string label, StrictInt total,
              const ProgressOptions& options = {});
  /// Erases the bar.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Shows the count `done` with a note. Draws at most 20 times a second.
  void update(StrictInt done, std::string_view note = {});
  /// Adds 1 to the count.
  void advance(std::string_view note = {});
  /// Prints a line above the bar.
  void print(std::string_view line);
  /// Shows the last state and moves to the next line.
  void finish();
  /// Erases the bar. The next update() draws it again.
  void clear();

  /// Returns the mode: never Auto.
  ProgressMode mode() const { return mode_; }
  /// Returns the count.
  std::int64_t done() const { return done_; }

 private:
  void draw();
  void print_state();

  std::FILE* out_;
  std::string label_;
  std::string note_;
  ProgressMode mode_;
  std::int64_t total_;
  std::int64_t initial_;
  std::int64_t done_;
  double seconds_per_line_;
  double start_;
  double last_ = 0;     // time of the last drawing or line
  std::int64_t shown_;  // count of the last line
  bool is_drawn_ = false;
};

}  // namespace tern::train
