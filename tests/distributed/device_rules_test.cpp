#include <gtest/gtest.h>

#include "distributed/ranks.h"

// What NCCL does not check and hangs on: simulated devices check it.

namespace tern::testing {
namespace {

TEST(DeviceRules, EachRankHasADeviceOfItsOwn) {
  on_ranks(2, [](ProcessGroup& group) {
    const std::string text = error_of([&] { group.all_reduce(ones({3}, Device("cuda:0"))); });
    EXPECT_TRUE(text.starts_with("all_reduce(sum) of float32 [3] on cuda:0 at device_rules_test."))
        << text;
    EXPECT_TRUE(contains(text, ": ranks 0 and 1 both use cuda:0 (NCCL: Duplicate GPU detected)"))
        << text;
    // The group can be used further.
    const Tensor x = ones({3}, device_of(group, kCUDA));
    group.all_reduce(x);
    EXPECT_TRUE(equal(x.cpu(), full({3}, static_cast<double>(group.size()))));
  });
}

TEST(DeviceRules, ARankKeepsItsDevice) {
  on_ranks(2, [](ProcessGroup& group) {
    group.broadcast(ones({1}, device_of(group, kCUDA)));
    const Device next(kCUDA, static_cast<DeviceIndex>((group.rank() + 1) % group.size()));
    const std::string text = error_of([&] { group.broadcast(ones({1}, next)); });
    EXPECT_TRUE(contains(text, ": rank 0 has used cuda:0 in this group and now uses cuda:1"))
        << text;
    group.split(0).broadcast(ones({1}, next));
  });
}

TEST(DeviceRules, ATensorOfOneRankOnTheCPUIsAMismatch) {
  on_ranks(2, [](ProcessGroup& group) {
    const Device device = group.rank() == 1 ? Device(kCPU) : device_of(group, kCUDA);
    const std::string text = error_of([&] { group.all_reduce(ones({3}, device)); });
    EXPECT_TRUE(contains(text, "rank 0 calls all_reduce(sum) of float32 [3] on cuda:0 at "))
        << text;
    EXPECT_TRUE(contains(text, "rank 1 calls all_reduce(sum) of float32 [3] at ")) << text;
  });
}

TEST(DeviceRules, OfSizesAreThoseOfTheCPU) {
  on_ranks(2, [](ProcessGroup& group) {
    const Tensor x = ones({group.rank() == 1 ? 4 : 3}, device_of(group, kCUDA));
    EXPECT_TRUE(contains(error_of([&] { group.all_reduce(x); }),
                         "rank 1 calls all_reduce(sum) of float32 [4] on cuda:1 at "));
  });
}

// Each rank's calls run on threads of two groups, so without the check this works here.
TEST(DeviceRules, GroupsOfTheSameRanksHaveOneOrder) {
  on_ranks(2, [](ProcessGroup& group) {
    const ProcessGroup other = group.split(0);
    const Tensor x = ones({2}, device_of(group, kCUDA)), y = ones({3}, device_of(group, kCUDA));
    const bool is_swapped = group.rank() == 1;
    distributed::Work first = (is_swapped ? other : group).all_reduce_async(is_swapped ? y : x);
    distributed::Work second = (is_swapped ? group : other).all_reduce_async(is_swapped ? x : y);
    for (distributed::Work* work : {&first, &second}) {
      const std::string text = error_of([&] { work->wait(); });
      EXPECT_TRUE(
          text.starts_with("the ranks call collectives of two groups in different orders, "
                           "in which NCCL hangs: rank 0 calls all_reduce(sum) of float32 "))
          << text;
      EXPECT_TRUE(contains(text, " on cuda:1 at device_rules_test.cpp:")) << text;
      EXPECT_TRUE(contains(text, " after all_reduce(sum) of float32 ")) << text;
    }
    // In one order both work.
    first = group.all_reduce_async(x);
    second = other.all_reduce_async(y);
    second.wait();
    first.wait();
    EXPECT_TRUE(equal(y.cpu(), full({3}, static_cast<double>(group.size()))));
  });
}

TEST(DeviceRules, DoNotOrderGroupsOfOtherRanksOrTensorsOfTheCPU) {
  on_ranks(4, [](ProcessGroup& group) {
    const ProcessGroup part = group.split(group.rank() % 2), other = group.split(0);
    const Device device = device_of(group, kCUDA);
    if (group.rank() % 2 == 0) part.all_reduce(ones({2}, device));
    group.all_reduce(ones({2}, device));
    if (group.rank() % 2 == 1) part.all_reduce(ones({2}, device));
    const Tensor x = ones({1});
    distributed::Work first = (group.rank() == 1 ? other : group).all_reduce_async(x);
    distributed::Work second = (group.rank() == 1 ? group : other).all_reduce_async(x.clone());
  });
}

TEST(DeviceRules, DoNotHoldOverHostMemory) {
  const auto run = [] {
    on_ranks(2, [](ProcessGroup& group) {
      const Tensor x = ones({3}, Device("cuda:0"));
      group.all_reduce(x);
      EXPECT_TRUE(equal(x.cpu(), full({3}, static_cast<double>(group.size()))));
    });
  };
  setenv("TERN_NCCL", "0", /*overwrite=*/1);
  run();
  unsetenv("TERN_NCCL");
}

}  // namespace
}  // namespace tern::testing
