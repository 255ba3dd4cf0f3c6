#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <tern/backends/cpu/capability.h>
#include <tern/backends/sim/kernels/kernels.h>
#include <tern/core/base/thread_pool.h>

#include "backends/cuda/emulator/kernels.h"
#include "backends/guards.h"

// Shared by the tests of kernels. Each test runs with the CPU's kernels of every instruction set
// that this build has and this machine supports, with several threads, and with CUDA's kernels in
// the emulator. Results are compared with the oracle: the simulator's naive kernels. PyTorch's
// numbers (in the records of tests/ops) judge the oracle itself.

namespace tern::testing {

/// Holds every int64 and every double exactly.
using Number = long double;

inline std::vector<const cpu::Capability*> runnable_sets() {
  std::vector<const cpu::Capability*> sets;
  for (const cpu::Capability* set = cpu::capabilities(); set->name != nullptr; ++set) {
    if (set->runs_here()) sets.push_back(set);
  }
  return sets;
}

/// The kernels of a test, and the number of threads.
struct KernelSet {
  const cpu::Capability* set;
  int threads;
};

/// Returns each of the CPU's sets with 3 or with 5 threads, the first with both, and CUDA's.
inline std::vector<KernelSet> kernel_sets() {
  std::vector<KernelSet> sets;
  for (const cpu::Capability* set : runnable_sets()) {
    if (sets.empty()) sets.push_back({set, 5});
    sets.push_back({set, sets.size() % 2 == 1 ? 3 : 5});
  }
  sets.push_back({&emulator::cuda_kernels(), 1});
  return sets;
}

/// Returns the CPU's sets only.
inline std::vector<KernelSet> cpu_kernel_sets() {
  std::vector<KernelSet> sets;
  for (const cpu::Capability* set : runnable_sets()) sets.push_back({set, 1});
  return sets;
}

/// Runs the oracle's kernel on host memory.
template <class Args>
void run_oracle(const Args& args) {
  static const sim::OracleTable oracle = sim::make_oracle();
  ASSERT_TRUE(oracle.supports[static_cast<std::size_t>(kernels::SlotOf<Args>::slot)](&args));
  kernels::KernelContext context;
  oracle.kernels[kernels::SlotOf<Args>::slot](&args, &context);
  ASSERT_EQ(context.status, kernels::StatusCode::kOk);
}

class KernelTest : public ::testing::TestWithParam<KernelSet> {
 protected:
  KernelTest() {
    GetParam().set->register_kernels(&table_);
    set_num_threads(GetParam().threads);
  }
  ~KernelTest() override { set_num_threads(threads_before_); }

  /// Returns true for CUDA's kernels.
  static bool is_cuda() { return GetParam().set == &emulator::cuda_kernels(); }

  /// Runs the kernel with guards around its operands.
  template <class Args>
  kernels::KernelContext run(Args args) const {
    kernels::KernelContext context;
    const Guards guards(operands(args));
    table_[kernels::SlotOf<Args>::slot](&args, &context);
    return context;
  }

 private:
  const int threads_before_ = get_num_threads();
  kernels::KernelTable table_;
};

inline std::string set_name(const ::testing::TestParamInfo<KernelSet>& info) {
  const std::string name = info.param.set->name;
  const int threads = info.param.threads;
  return threads == 1 ? name : name + "_" + std::to_string(threads) + "_threads";
}

#define TERN_KERNEL_TESTS(Suite)                                                     \
  INSTANTIATE_TEST_SUITE_P(Sets, Suite, ::testing::ValuesIn(testing::kernel_sets()), \
                           testing::set_name)

/// For tests that set the number of threads themselves, which affects only the CPU's kernels.
#define TERN_CPU_KERNEL_TESTS(Suite)                                                     \
  INSTANTIATE_TEST_SUITE_P(Sets, Suite, ::testing::ValuesIn(testing::cpu_kernel_sets()), \
                           testing::set_name)

/// Pseudo-random numbers that are the same everywhere.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint64_t bits() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(bits() >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

template <class T>
Number distance(T got, Number want) {
  const int exponent = want == 0 ? -10000 : std::ilogb(want);
  const int unit = std::max(exponent, std::numeric_limits<T>::min_exponent - 1) -
                   (std::numeric_limits<T>::digits - 1);
  return std::abs(static_cast<Number>(got) - want) / std::ldexp(Number(1), unit);
}

/// Returns the distance from `got` to `want`, in units of the last place that T has at `want`.
template <class T>
Number ulps(T got, Number want) {
  if constexpr (!std::is_floating_point_v<T>) {
    return std::abs(static_cast<Number>(got) - want);
  } else {
    constexpr Number kFar = std::numeric_limits<Number>::infinity();
    constexpr T kLargest = std::numeric_limits<T>::max();
    if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got) ? 0 : kFar;
    const T rounded = static_cast<T>(want);
    if (got == rounded) return std::isinf(got) ? 0 : distance<T>(got, want);
    // One of the two may just miss an overflow.
    if (std::isinf(rounded) || std::isinf(got)) {
      const bool near = std::abs(got) == kLargest || std::abs(rounded) == kLargest;
      return near && std::signbit(got) == std::signbit(rounded) ? 1 : kFar;
    }
    return distance<T>(got, want);
  }
}

/// Returns the number of elements between the first and the last that a view accesses, both
/// included.
inline std::size_t extent(const std::vector<std::int64_t>& sizes,
                          const std::vector<std::int64_t>& strides) {
  std::int64_t last = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) last += (sizes[d] - 1) * strides[d];
  return static_cast<std::size_t>(last) + 1;
}

/// Returns the offset of the element with this row-major index.
inline std::size_t offset_of(std::int64_t index, const std::vector<std::int64_t>& sizes,
                             const std::vector<std::int64_t>& strides) {
  std::int64_t offset = 0;
  for (std::size_t d = sizes.size(); d-- > 0; index /= sizes[d]) {
    offset += index % sizes[d] * strides[d];
  }
  return static_cast<std::size_t>(offset);
}

inline std::int64_t count_of(const std::vector<std::int64_t>& sizes) {
  std::int64_t count = 1;
  for (std::int64_t size : sizes) count *= size;
  return count;
}

}  // namespace tern::testing
