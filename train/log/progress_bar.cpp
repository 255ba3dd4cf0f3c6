#include <tern/train/log/progress_bar.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <utility>

#include <tern/core/base/error.h>
#include <tern/train/log/detail/progress_text.h>

namespace tern::train {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool is_terminal(std::FILE* out) {
  const char* kind = std::getenv("TERM");
  const int file = ::fileno(out);  // -1 for a stream in memory
  return file >= 0 && ::isatty(file) != 0 && kind != nullptr && std::string_view(kind) != "dumb";
}

bool is_coloured() {
  const char* no_color = std::getenv("NO_COLOR");
  return no_color == nullptr || *no_color == '\0';
}

/// Returns the columns that a bar may take: one less than the terminal has, since some terminals
/// wrap after the last one.
std::size_t bar_width(std::FILE* out) {
  constexpr std::size_t kUsual = 100;
  struct winsize size = {};
  const bool known = ::ioctl(::fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col - 1U : kUsual;
}

constexpr const char* kEraseLine = "\r\x1b[2K";
constexpr double kSecondsPerFrame = 0.05;

}  // namespace

ProgressBar::ProgressBar(std::FILE* out, std::string label, StrictInt total,
                         const ProgressOptions& options)
    : out_(out),
      label_(std::move(label)),
      mode_(options.mode()),
      total_(total),
      initial_(options.initial()),
      done_(initial_),
      seconds_per_line_(options.seconds_per_line()),
      start_(now()),
      shown_(initial_) {
  TERN_CHECK(out != nullptr, Error, "ProgressBar: expected a stream, got a null pointer");
  TERN_CHECK(total_ >= 0, Error, "ProgressBar: total must be at least 0, got ", total_);
  TERN_CHECK(initial_ >= 0, Error, "ProgressBar: initial must be at least 0, got ", initial_);
  TERN_CHECK(seconds_per_line_ >= 0, Error,
             "ProgressBar: seconds_per_line must be at least 0, got ", seconds_per_line_);
  if (mode_ == ProgressMode::Auto) {
    mode_ = is_terminal(out) ? ProgressMode::Bar : ProgressMode::Lines;
  }
  last_ = start_;
}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::update(StrictInt done, std::string_view note) {
  done_ = done;
  note_ = note;
  if (mode_ == ProgressMode::Off) return;
  const bool is_last = total_ > 0 && done_ >= total_;
  const double time = now();
  if (mode_ == ProgressMode::Bar) {
    if (is_drawn_ && !is_last && time - last_ < kSecondsPerFrame) return;
    last_ = time;
    draw();
  } else if (is_last || time - last_ >= seconds_per_line_) {
    last_ = time;
    print_state();
  }
}

void ProgressBar::advance(std::string_view note) { update(done_ + 1, note); }

void ProgressBar::draw() {
  const detail::ProgressState state{label_, note_, initial_, done_, total_, now() - start_};
  const std::string line = detail::progress_bar(state, bar_width(out_), is_coloured());
  std::fprintf(out_, "%s%s", kEraseLine, line.c_str());
  std::fflush(out_);
  is_drawn_ = true;
}

void ProgressBar::print_state() {
  if (shown_ == done_) return;
  shown_ = done_;
  const detail::ProgressState state{label_, note_, initial_, done_, total_, now() - start_};
  std::fprintf(out_, "%s\n", detail::progress_text(state).c_str());
  std::fflush(out_);
}

void ProgressBar::print(std::string_view line) {
  const bool was_drawn = is_drawn_;
  clear();
  std::fprintf(out_, "%.*s\n", static_cast<int>(line.size()), line.data());
  std::fflush(out_);
  if (was_drawn) draw();
}

void ProgressBar::finish() {
  if (mode_ == ProgressMode::Lines) print_state();
  if (mode_ != ProgressMode::Bar) return;
  draw();
  std::fputc('\n', out_);
  std::fflush(out_);
  is_drawn_ = false;
}

void ProgressBar::clear() {
  if (!is_drawn_) return;
  is_drawn_ = false;
  std::fputs(kEraseLine, out_);
  std::fflush(out_);
}

}  // namespace tern::train
