#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tern/core/base/visibility.h>

namespace tern::train::detail {

/// What a progress bar shows.
struct ProgressState {
  std::string_view label;
  std::string_view note;
  std::int64_t initial = 0;
  std::int64_t done = 0;
  std::int64_t total = 0;  // 0: unknown
  double seconds = 0;      // since the start
};

/// Returns a line of text without a bar: "epoch 1: 30/60, 50%, 15.0/s, 2.0 s, 2.0 s left, note".
TERN_API std::string progress_text(const ProgressState& state);

/// Returns a line with a bar that takes at most `width` columns of a terminal.
TERN_API std::string progress_bar(const ProgressState& state, std::size_t width, bool coloured);

}  // namespace tern::train::detail
