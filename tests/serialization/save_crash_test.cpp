#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <tern/serialization/state_file.h>

#include "scratch.h"
#include "state_formats.h"

// Saving while processes die or save to the same place, in every format.

namespace tern {
namespace {

class SaveCrash : public ::testing::TestWithParam<const char*> {
 protected:
  /// Whether the file is one of the two, whole.
  void expect_whole() const {
    const State state = load_state(path_);
    ASSERT_TRUE(identical(state, a_) || identical(state, b_));
  }

  const State a_ = sample_state(1, 80), b_ = sample_state(2, 160);
  const Scratch scratch_;
  const std::string path_ = scratch_.path("state") + GetParam();
};

TEST_P(SaveCrash, AKillAtAnyTimeLeavesAWholeFile) {
  save(a_, path_);
  const long kills = count_for(40, 2000);
  long found_b = 0;
  for (long i = 0; i < kills; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (;;) {
        save(b_, path_);
        save(a_, path_);
      }
    }
    ::usleep(static_cast<useconds_t>(500 + i * 7919 % 15000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    expect_whole();
    found_b += identical(load_state(path_), b_);
    ASSERT_LE(scratch_.count(), 2) << "leftovers pile up";
  }
  save(a_, path_);
  EXPECT_EQ(scratch_.count(), 1);
  RecordProperty("kills that left the other state", std::to_string(found_b));
}

TEST_P(SaveCrash, TwoWritersOfOneFileNeverMix) {
  save(a_, path_);
  const long saves = count_for(25, 1000);
  std::vector<pid_t> children;
  for (const State* state : {&a_, &b_}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      try {
        for (long i = 0; i < saves; ++i) save(*state, path_);
      } catch (const std::exception&) {
        ::_exit(1);
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (long i = 0; i < saves; ++i) expect_whole();
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  expect_whole();
  EXPECT_EQ(scratch_.count(), 1);
}

INSTANTIATE_TEST_SUITE_P(, SaveCrash, ::testing::ValuesIn(kStateFormats), format_name);

}  // namespace
}  // namespace tern
