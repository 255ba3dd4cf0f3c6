#include <cuda_runtime.h>

#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <tern/backends/cuda/device/support/pack.h>
#include <tern/backends/cuda/device/support/scratch.h>
#include <tern/backends/cuda/device/support/shared_array.h>
#include <tern/core/kernels/families/elementwise.h>

#include "backends/cuda/emulator/emulator.h"
#include "backends/kernel_test.h"

// Wrong kernels, of which the emulator must complain.

namespace tern::cuda::device {
namespace {

using namespace kernels;

using emulator::Index;

constexpr unsigned kThreadsHere = 64;

/// Returns what the emulator says of a block of 64 threads; nothing if it is right.
std::string complaint_about(const std::function<void()>& kernel, Index grid = {1, 1, 1}) {
  try {
    emulator::run(grid, {kThreadsHere, 1, 1}, kernel);
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

bool is_race(const std::string& complaint) { return complaint.starts_with("a race: thread "); }

// Reverses the numbers of the threads in shared memory.
template <bool kWaitsForWrites, bool kWaitsForReads>
void reverse_twice(int* out) {
  __shared__ SharedArray<int, kThreadsHere> values;
  int value = static_cast<int>(threadIdx.x);
  for (int i = 0; i < 2; ++i) {
    values[threadIdx.x] = value;
    if (kWaitsForWrites) __syncthreads();
    value = values[kThreadsHere - 1 - threadIdx.x];
    if (kWaitsForReads) __syncthreads();
  }
  out[threadIdx.x] = value;
}

/// Runs a body in 20 orders.
template <class Body>
void in_orders(const Body& body) {
  const std::uint64_t before = emulator::set_order(0);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    emulator::set_order(seed);
    body();
  }
  emulator::set_order(before);
}

TEST(Emulator, ARightKernelPassesInEachOrder) {
  in_orders([] {
    int out[kThreadsHere] = {};
    EXPECT_EQ(complaint_about([&] { reverse_twice<true, true>(out); }, {3, 2, 1}), "");
    for (int i = 0; i < 64; ++i) EXPECT_EQ(out[i], i);
  });
}

TEST(Emulator, AMissingBarrierIsARaceInEachOrder) {
  in_orders([] {
    int out[kThreadsHere] = {};
    // Without the first barrier some threads also read what nobody has written yet.
    EXPECT_NE(complaint_about([&] { reverse_twice<false, true>(out); }), "");
    EXPECT_TRUE(is_race(complaint_about([&] { reverse_twice<true, false>(out); })));
  });
}

TEST(Emulator, TwoWritersAreARace) {
  EXPECT_TRUE(is_race(complaint_about([] {
    __shared__ SharedArray<int, 1> value;
    value[0] = 1;
  })));
}

TEST(Emulator, AShuffleIsNoBarrierForSharedMemory) {
  EXPECT_TRUE(is_race(complaint_about([] {
    __shared__ SharedArray<int, 1> value;
    if (threadIdx.x == 0) value[0] = 1;
    __shfl_xor_sync(0xffffffffu, 0, 1);
    if (threadIdx.x == 1) static_cast<void>(static_cast<int>(value[0]));
  })));
}

TEST(Emulator, SharedMemoryBeginsWithNothing) {
  const auto kernel = [](bool writes) {
    __shared__ SharedMatrix<float, 2, kThreadsHere> values;
    if (writes) values[1][threadIdx.x] = 1;
    values[1][threadIdx.x] += 1;
  };
  EXPECT_EQ(complaint_about([&] { kernel(true); }), "");
  // The numbers of an earlier block do not count.
  const std::string text = complaint_about([&] { kernel(false); });
  EXPECT_NE(text.find("reads shared memory that no thread of its block has written"),
            std::string::npos)
      << text;
}

TEST(Emulator, SharedMemoryHasBounds) {
  EXPECT_EQ(complaint_about([] {
              __shared__ SharedArray<int, kThreadsHere> values;
              values[threadIdx.x + 1] = 0;
            }),
            "shared memory of 64 elements has no element 64");
}

TEST(Emulator, PacksAreAligned) {
  alignas(16) float numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  float sum = 0;
  const auto kernel = [&](const float* from) { sum = pack_at<4>(from).values[3]; };
  EXPECT_EQ(complaint_about([&] { kernel(numbers + 4); }), "");
  EXPECT_EQ(sum, 8);
  EXPECT_EQ(complaint_about([&] { kernel(numbers + 1); }),
            "an access to 16 bytes that are not aligned");
  // What is right for any address.
  EXPECT_EQ(complaint_about([&] { sum = read_pack<4>(numbers + 1, 4).values[3]; }), "");
  EXPECT_EQ(sum, 5);
}

TEST(Emulator, BlocksAndThreadsTakeTurnsInTheOrderOfTheSeed) {
  const auto order = [](std::uint64_t seed) {
    const std::uint64_t before = emulator::set_order(seed);
    std::vector<unsigned> turns;
    complaint_about([&] { turns.push_back(blockIdx.x * kThreadsHere + threadIdx.x); }, {50, 1, 1});
    emulator::set_order(before);
    return turns;
  };
  std::vector<unsigned> in_order(50 * kThreadsHere);
  std::iota(in_order.begin(), in_order.end(), 0U);
  EXPECT_EQ(order(0), in_order);
  std::set<std::vector<unsigned>> orders;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<unsigned> turns = order(seed);
    EXPECT_EQ(turns, order(seed));
    orders.insert(turns);
    std::sort(turns.begin(), turns.end());
    EXPECT_EQ(turns, in_order);
  }
  EXPECT_EQ(orders.size(), 20u);
}

TEST(Emulator, ScratchHoldsNoNumbers) {
  KernelContext context;
  const Scratch scratch(context, 5 * sizeof(double));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(std::isnan(scratch.get<double>()[i]));
}

// 1 - y * y of the gradient of tanh, where the square of y has more bits than a float.
TEST(Emulator, ProductsAreAddedUnroundedAsOnAGpu) {
  if (!__builtin_cpu_supports("fma")) GTEST_SKIP() << "the processor has no FMA";
  KernelTable table;
  emulator::cuda_kernels().register_kernels(&table);
  const float grad = 1, y = 1 - 0x1p-13f;
  float out = 0;
  ElementwiseArgs args{};
  args.op = ElementwiseOp::tanh_backward;
  args.dtype = kFloat;
  args.inputs = 2;
  args.out = &out;
  args.in[0] = &grad;
  args.in[1] = &y;
  args.scale = {1, 1};
  KernelContext context;
  table[Slot::elementwise](&args, &context);
  EXPECT_EQ(out, 0x1p-12f - 0x1p-26f);
}

}  // namespace
}  // namespace tern::cuda::device
