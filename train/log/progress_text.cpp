#include <tern/train/log/detail/progress_text.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <tern/core/base/detail/plain_text.h>
#include <tern/train/detail/utf8.h>

namespace tern::train::detail {
namespace {

using tern::detail::number_text;

/// Returns the first `count` characters. Line breaks and other control characters become blanks.
std::string first_characters(std::string_view text, std::size_t count) {
  std::string result;
  for (const char c : text) {
    if (starts_code_point(c) && count-- == 0) break;
    result += c >= 0 && c < ' ' ? ' ' : c;
  }
  return result;
}

std::string duration(double seconds) {
  if (seconds < 60) return number_text(seconds, 'f', 1) + " s";
  const auto whole = std::llround(seconds);
  char text[48];
  if (whole < 3600) {
    std::snprintf(text, sizeof text, "%lld:%02lld", whole / 60, whole % 60);
  } else {
    std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60,
                  whole % 60);
  }
  return text;
}

std::string rate_text(double rate) {
  if (rate < 1) return number_text(1 / rate, 'g', 3) + " s each";
  return number_text(rate, 'f', rate < 10 ? 2 : rate < 100 ? 1 : 0) + "/s";
}

/// Returns the share in percent, and 100 only if the total is reached.
int percent(const ProgressState& state) {
  const double share = 100.0 * static_cast<double>(state.done) / static_cast<double>(state.total);
  return static_cast<int>(std::clamp(share, 0.0, 100.0));
}

/// Returns the numbers and the note, joined by `separator`.
std::string numbers(const ProgressState& state, const char* separator) {
  std::string text = std::to_string(state.done);
  if (state.total > 0) text += "/" + std::to_string(state.total);
  const auto add = [&](const std::string& part) { text += separator + part; };
  const double rate = static_cast<double>(state.done - state.initial) / state.seconds;
  const bool has_rate = std::isfinite(rate) && rate > 0;
  if (has_rate) add(rate_text(rate));
  add(duration(state.seconds));
  const std::int64_t remaining = state.total - state.done;
  if (has_rate && remaining > 0) add(duration(static_cast<double>(remaining) / rate) + " left");
  if (!state.note.empty()) add(std::string(state.note));
  return text;
}

std::string repeated(const char* text, std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) result += text;
  return result;
}

}  // namespace

std::string progress_text(const ProgressState& state) {
  std::string text = std::string(state.label) + ": ";
  if (state.total > 0) text += std::to_string(percent(state)) + "%, ";
  return text + numbers(state, ", ");
}

std::string progress_bar(const ProgressState& state, std::size_t width, bool coloured) {
  constexpr std::size_t kMostCells = 30, kLeastCells = 5;
  const bool has_total = state.total > 0;
  std::string share = std::to_string(percent(state)) + "%  ";
  share.insert(0, 6 - share.size(), ' ');  // room for 100%
  const std::string tail = (has_total ? share : "") + numbers(state, "  ");
  std::string line = first_characters(std::string(state.label) + " ", width);
  const std::size_t used = code_points_in(line) + code_points_in(tail) + 1;
  std::size_t cells = has_total && used < width ? std::min(kMostCells, width - used) : 0;
  if (cells < kLeastCells) cells = 0;
  std::size_t room = width - code_points_in(line);
  if (cells > 0) {
    const auto full = static_cast<std::size_t>(static_cast<double>(cells) * percent(state) / 100);
    line += (coloured ? "\x1b[36m" : "") + repeated("━", full) + (coloured ? "\x1b[2m" : "") +
            repeated(coloured ? "━" : "─", cells - full) + (coloured ? "\x1b[0m " : " ");
    room -= cells + 1;
  }
  return line + first_characters(tail, room);
}

}  // namespace tern::train::detail
