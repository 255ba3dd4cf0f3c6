#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include <tern/train/log/detail/progress_text.h>
#include <tern/train/log/progress_bar.h>

#include "error_of.h"

namespace tern::train {
namespace {

using detail::progress_bar;
using detail::progress_text;
using detail::ProgressState;

/// A stream that writes to memory.
class MemoryStream {
 public:
  ~MemoryStream() {
    std::fclose(file_);
    std::free(data_);
  }
  std::FILE* file() const { return file_; }
  std::string text() const {
    std::fflush(file_);
    return {data_, size_};
  }

 private:
  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_ = ::open_memstream(&data_, &size_);
};

TEST(ProgressText, HasRateAndRemainingTime) {
  EXPECT_EQ(progress_text({"epoch 1", "loss 0.5", 0, 30, 60, 2.0}),
            "epoch 1: 50%, 30/60, 15.0/s, 2.0 s, 2.0 s left, loss 0.5");
  EXPECT_EQ(progress_text({"x", "", 0, 60, 60, 100}), "x: 100%, 60/60, 1.67 s each, 1:40");
  EXPECT_EQ(progress_text({"x", "", 0, 999, 1000, 0.5}),
            "x: 99%, 999/1000, 1998/s, 0.5 s, 0.0 s left");
  EXPECT_EQ(progress_text({"x", "", 50, 60, 100, 4000}),
            "x: 60%, 60/100, 400 s each, 1:06:40, 4:26:40 left");
  EXPECT_EQ(progress_text({"x", "", 0, 0, 10, 0}), "x: 0%, 0/10, 0.0 s");
  EXPECT_EQ(progress_text({"x", "", 0, 7, 0, 1}), "x: 7, 7.00/s, 1.0 s") << "unknown total";
}

TEST(ProgressText, ABarFitsIntoTheTerminal) {
  EXPECT_EQ(progress_bar({"e", "", 0, 1, 2, 1}, 100, false),
            "e ━━━━━━━━━━━━━━━─────────────── "
            " 50%  1/2  1.00/s  1.0 s  1.0 s left"
            "");
  const ProgressState state{"a label\n", "a note with üs, which is long", 0, 1, 2, 1};
  for (std::size_t width = 0; width < 120; ++width) {
    const std::string line = progress_bar(state, width, false);
    const auto columns =
        std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; });
    EXPECT_LE(columns, static_cast<long>(width)) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos);
  }
  EXPECT_NE(progress_bar(state, 100, true).find("\x1b[36m"), std::string::npos);
}

TEST(ProgressBarTest, PrintsLinesElsewhere) {
  MemoryStream out;
  {
    ProgressBar bar(out.file(), "epoch 1", 3);
    EXPECT_EQ(bar.mode(), ProgressMode::Lines);
    bar.advance("a");
    bar.advance("b");
    EXPECT_EQ(out.text(), "") << "ten seconds between two lines";
    bar.print("a message");
    bar.advance("c");
    bar.finish();
  }
  const std::string text = out.text();
  EXPECT_EQ(text.find("a message\nepoch 1: 100%, 3/3, "), 0u) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(ProgressBarTest, PrintsEveryLineWithoutAnInterval) {
  MemoryStream out;
  ProgressBar bar(out.file(), "x", 0, ProgressOptions().seconds_per_line(0).initial(10));
  bar.advance();
  bar.update(13, "note");
  EXPECT_EQ(bar.done(), 13);
  const std::string text = out.text();
  EXPECT_NE(text.find("x: 11, "), std::string::npos) << text;
  EXPECT_NE(text.find("x: 13, "), std::string::npos) << text;
}

TEST(ProgressBarTest, OffPrintsNothing) {
  MemoryStream out;
  ProgressBar bar(out.file(), "x", 2, ProgressOptions().mode(ProgressMode::Off));
  bar.update(2);
  bar.finish();
  EXPECT_EQ(out.text(), "");
}

TEST(ProgressBarTest, DrawsOverItselfAndErases) {
  MemoryStream out;
  {
    ProgressBar bar(out.file(), "x", 2, ProgressOptions().mode(ProgressMode::Bar));
    bar.update(1);
    bar.print("above");
    bar.update(2);
  }
  const std::string text = out.text();
  EXPECT_NE(text.find("\r\x1b[2Kabove\n\r\x1b[2Kx "), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\r\x1b[2K")) << text;
}

TEST(ProgressBarTest, DrawsABarOnATerminalOfItsWidth) {
  int master = -1, terminal = -1;
  struct winsize size = {};
  size.ws_col = 40;
  ASSERT_EQ(::openpty(&master, &terminal, nullptr, nullptr, &size), 0);
  ::setenv("TERM", "xterm", 1);
  std::FILE* out = ::fdopen(terminal, "w");
  {
    ProgressBar bar(out, "epoch 1", 10);
    EXPECT_EQ(bar.mode(), ProgressMode::Bar);
    bar.update(5, "a long note that does not fit into forty columns");
    bar.finish();
  }
  char text[4096];
  const ssize_t count = ::read(master, text, sizeof text);
  ASSERT_GT(count, 0);
  const std::string printed(text, static_cast<std::size_t>(count));
  EXPECT_NE(printed.find("epoch 1 "), std::string::npos) << printed;
  EXPECT_EQ(printed.find("forty"), std::string::npos) << printed;
  std::fclose(out);
  ::close(master);
}

TEST(ProgressBarTest, RefusesWrongArguments) {
  EXPECT_NE(error_of([] { ProgressBar(nullptr, "x", 1); }).find("null pointer"), std::string::npos);
  EXPECT_NE(error_of([] { ProgressBar(stderr, "x", -1); }).find("got -1"), std::string::npos);
  EXPECT_NE(
      error_of([] { ProgressBar(stderr, "x", 1, ProgressOptions().initial(-2)); }).find("got -2"),
      std::string::npos);
}

}  // namespace
}  // namespace tern::train
