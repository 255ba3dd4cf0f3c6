#include <gtest/gtest.h>

#include <functional>
#include <new>

#include <tern/core/tensor/detail/allocator.h>
#include <tern/nn/containers/sequential.h>
#include <tern/nn/modules/batch_norm.h>
#include <tern/nn/modules/linear.h>
#include <tern/serialization/state_file.h>

#include "heap_faults.h"
#include "scratch.h"
#include "state_formats.h"

// Memory that runs out anywhere in a save or a load, in every format.

namespace tern {
namespace {

class MemoryFaults : public ::testing::TestWithParam<const char*> {
 protected:
  /// Lets every n-th request fail, for each n until there are no more; calls `check` after each.
  /// The error is tern's, or std::bad_alloc where that is allowed.
  static void fail_each(const std::function<void(long)>& set_fault,
                        const std::function<void()>& run, const std::function<void()>& check,
                        bool plain_allowed = false) {
    run();  // what is made once is made
    const Allocator& host = detail::allocator_of(DeviceType::CPU);
    long n = 1;
    for (bool failed = true; failed; ++n) {
      SCOPED_TRACE("request " + std::to_string(n));
      const long news = live_news();
      const std::int64_t bytes = host.stats(0).live_bytes;
      failed = false;
      set_fault(n);
      try {
        run();
        set_fault(0);
      } catch (const OutOfMemoryError&) {
        set_fault(0);
        failed = true;
      } catch (const std::bad_alloc&) {
        set_fault(0);
        failed = true;
        EXPECT_TRUE(plain_allowed);
      }
      EXPECT_EQ(live_news(), news);
      EXPECT_EQ(host.stats(0).live_bytes, bytes);
      if (failed) check();
      if (::testing::Test::HasFailure()) return;
    }
    EXPECT_GT(n, 2);
  }

  const State old_state_ = sample_state(1, 4), new_state_ = sample_state(2, 4);
  const Scratch scratch_;
  const std::string path_ = scratch_.path("state") + GetParam();
};

void fail_host(long n) { testing::fail_allocation(n); }

TEST_P(MemoryFaults, ASaveLeavesTheOldFile) {
  std::string bytes;
  State strided = new_state_;  // needs a copy, which is the host's memory
  strided.set("view", ones({6, 8}).t());
  for (const auto& fault : {fail_new, fail_host}) {
    save(strided, path_);
    bytes = read_file(path_);
    fail_each(
        fault, [&] { save_state(strided, path_); },
        [&] {
          EXPECT_TRUE(read_file(path_) == bytes);
          EXPECT_EQ(scratch_.count(), 1) << "a temporary was left";
        });
  }
}

TEST_P(MemoryFaults, ALoadChangesNothing) {
  save(new_state_, path_);
  for (const auto& fault : {fail_new, fail_host}) {
    State state = old_state_;
    fail_each(
        fault, [&] { load_state(path_); }, [] {});
    fail_each(
        fault,
        [&] {
          state = old_state_;
          load(state, path_);
          state = old_state_;
        },
        [&] { EXPECT_TRUE(identical(state, old_state_)); });
  }
}

TEST_P(MemoryFaults, AModelIsLoadedWholeOrNotAtAll) {
  nn::Sequential net(nn::Linear(3, 4), nn::BatchNorm1d(4)),
      other(nn::Linear(3, 4), nn::BatchNorm1d(4));
  const auto copy = [&] {
    State state;
    for (const auto& [key, value] : net->state_dict()) state.insert(key, value.tensor().clone());
    return state;
  };
  const State before = copy();
  save(other, path_);
  for (const auto& fault : {fail_new, fail_host}) {
    fail_each(
        fault,
        [&] {
          load(net, path_);
          fail_new(0);
          testing::fail_allocation(0);
          net->load_state_dict(before);
        },
        [&] { EXPECT_TRUE(identical(net->state_dict(), before)); }, /*plain_allowed=*/true);
  }
}

INSTANTIATE_TEST_SUITE_P(, MemoryFaults, ::testing::ValuesIn(kStateFormats), format_name);

}  // namespace
}  // namespace tern
