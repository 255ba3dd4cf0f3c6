#include "progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace support {
namespace {

constexpr std::int64_t kCells = 30;

bool terminal() {
  const char* kind = std::getenv("TERM");
  return isatty(STDOUT_FILENO) != 0 && kind != nullptr && std::string_view(kind) != "dumb";
}

bool coloured() {
  const char* no_color = std::getenv("NO_COLOR");
  return no_color == nullptr || *no_color == '\0';
}

std::string repeated(const char* text, std::int64_t count) {
  std::string result;
  for (std::int64_t i = 0; i < count; ++i) result += text;
  return result;
}

}  // namespace

Progress::Progress(std::string label, std::int64_t total, bool wanted)
    : label_(std::move(label)),
      total_(std::max<std::int64_t>(total, 1)),
      on_(wanted && terminal()),
      start_(std::chrono::steady_clock::now()) {}

void Progress::update(std::int64_t done, const std::string& note) {
  if (!on_) return;
  const auto now = std::chrono::steady_clock::now();
  if (drawn_ && done < total_ && now - last_ < std::chrono::milliseconds(50)) return;
  drawn_ = true;
  last_ = now;
  const std::int64_t full = std::clamp<std::int64_t>(done * kCells / total_, 0, kCells);
  const bool colour = coloured();
  std::printf("\r\x1b[2K%s %s%s%s%s%s %3d%%  %.1f s  %s", label_.c_str(), colour ? "\x1b[36m" : "",
              repeated("━", full).c_str(), colour ? "\x1b[2m" : "",
              repeated(colour ? "━" : "─", kCells - full).c_str(), colour ? "\x1b[0m" : "",
              static_cast<int>(done * 100 / total_),
              std::chrono::duration<double>(now - start_).count(), note.c_str());
  std::fflush(stdout);
}

void Progress::clear() {
  if (!drawn_) return;
  drawn_ = false;
  std::fputs("\r\x1b[2K", stdout);
  std::fflush(stdout);
}

}  // namespace support
