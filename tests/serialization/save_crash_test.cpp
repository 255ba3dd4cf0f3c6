#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <tern/serialization/state_file.h>

#include "scratch.h"
#include "state_formats.h"

// Saving while processes die or save to the same place, in every format and in shards.

namespace tern {
namespace {

class SaveCrash : public ::testing::TestWithParam<const char*> {
 protected:
  void save_state(const State& state) const { save(state, path_, options_); }
  /// Whether what is saved is one of the two states, whole.
  void expect_whole() const {
    const State state = load_state(path_);
    ASSERT_TRUE(identical(state, a_) || identical(state, b_));
  }
  /// The same while somebody saves. Shards may be replaced between the first look and the last.
  void expect_whole_or_replaced() const {
    try {
      expect_whole();
    } catch (const FileError& error) {
      const std::string text = error.what();
      EXPECT_TRUE(is_sharded(GetParam()) && (text.ends_with("which is missing") ||
                                             text.ends_with("No such file or directory") ||
                                             text.ends_with("were written by different saves")))
          << text;
    }
  }

  const State a_ = sample_state(1, 80), b_ = sample_state(2, 160);
  const SaveOptions options_ = save_options(GetParam());
  const Scratch scratch_;
  const std::string path_ = scratch_.path("state") + GetParam();
};

TEST_P(SaveCrash, AKillAtAnyTimeLeavesAWholeState) {
  save_state(a_);
  const long files = scratch_.count();
  const long kills = count_for(40, 2000);
  long found_b = 0;
  for (long i = 0; i < kills; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (;;) {
        save_state(b_);
        save_state(a_);
      }
    }
    ::usleep(static_cast<useconds_t>(500 + i * 7919 % 15000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    expect_whole();
    found_b += identical(load_state(path_), b_);
    if (!is_sharded(GetParam())) {
      ASSERT_LE(scratch_.count(), 2) << "leftovers pile up";
    }
  }
  save_state(a_);
  EXPECT_TRUE(identical(load_state(path_), a_));
  if (!is_sharded(GetParam())) {
    EXPECT_EQ(scratch_.count(), files);
  }
  RecordProperty("kills that left the other state", std::to_string(found_b));
}

TEST_P(SaveCrash, TwoWritersOfOneStateNeverMix) {
  save_state(a_);
  const long files = scratch_.count();
  const long saves = count_for(25, 1000);
  std::vector<pid_t> children;
  for (const State* state : {&a_, &b_}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      try {
        for (long i = 0; i < saves; ++i) save_state(*state);
      } catch (const std::exception&) {
        ::_exit(1);
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (long i = 0; i < saves; ++i) expect_whole_or_replaced();
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  expect_whole();
  EXPECT_EQ(scratch_.count(), files);
}

INSTANTIATE_TEST_SUITE_P(, SaveCrash, ::testing::ValuesIn(kStateFormats), format_name);
INSTANTIATE_TEST_SUITE_P(InSeveralFiles, SaveCrash, ::testing::Values(kSharded), format_name);

}  // namespace
}  // namespace tern
