#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <tern/backends/cpu/capability.h>
#include <tern/backends/sim/kernels/kernels.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/math/math_dtype.h>

#include "backends/cuda/emulator/kernels.h"
#include "backends/guards.h"
#include "backends/oracle_results.h"
#include "sanitizer.h"

// Shared by the tests of kernels. Each test runs with the CPU's kernels of every instruction set
// that this build has and this machine supports, with several threads, and with CUDA's kernels in
// the emulator. Results are compared with the oracle: the simulator's naive kernels. PyTorch's
// numbers (in the records of tests/ops) judge the oracle itself.

namespace tern::testing {

/// Holds every int64 and every double exactly.
using Number = long double;

/// Like std::numeric_limits, also for float16 and bfloat16.
template <class T>
struct Limits : std::numeric_limits<T> {};
template <>
struct Limits<Half> {
  static constexpr int digits = 11, min_exponent = -13;
  static constexpr Half denorm_min() { return Half::from_bits(0x0001); }
  static constexpr Half min() { return Half::from_bits(0x0400); }
  static constexpr Half max() { return Half::from_bits(0x7bff); }
  static constexpr Half infinity() { return Half::from_bits(0x7c00); }
  static constexpr Half quiet_NaN() { return Half::from_bits(0x7e00); }
  static constexpr Half epsilon() { return 0x1p-10f; }
};
template <>
struct Limits<BFloat16> {
  static constexpr int digits = 8, min_exponent = -125;
  static constexpr BFloat16 denorm_min() { return BFloat16::from_bits(0x0001); }
  static constexpr BFloat16 min() { return BFloat16::from_bits(0x0080); }
  static constexpr BFloat16 max() { return BFloat16::from_bits(0x7f7f); }
  static constexpr BFloat16 infinity() { return BFloat16::from_bits(0x7f80); }
  static constexpr BFloat16 quiet_NaN() { return BFloat16::from_bits(0x7fc0); }
  static constexpr BFloat16 epsilon() { return 0x1p-7f; }
};

template <class T>
constexpr bool kFloating = is_floating_point(dtype_of<T>());
template <class T>
constexpr bool kNarrow = kernels::is_narrow(dtype_of<T>());

/// The type in which the oracle takes and gives elements of T: floating numbers as double, so that
/// the oracle does not round to a smaller type.
template <class T>
using Exact = std::conditional_t<kFloating<T>, double, T>;

/// Tests of narrow dtypes skip operands with more elements. Such operands test how kernels divide
/// their work, which does not depend on the dtype.
constexpr std::int64_t kManyElements = 20000;

/// Returns how far results may be from the oracle's, relative to their size: so many units of the
/// dtype, or two of a narrow dtype, whose results are computed in float32 and rounded once.
template <class T>
constexpr Number error_limit(int units) {
  return (kNarrow<T> ? 2 : units) * static_cast<Number>(Limits<T>::epsilon());
}

/// Calls visit.operator()<T>() with the C++ type of every dtype.
template <class Visit>
void for_each_dtype(const Visit& visit) {
#define TERN_DTYPE(name, type, number, file_name, python_name, category) \
  visit.template operator()<type>();
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
}

/// Does the same for floating dtypes.
template <class Visit>
void for_each_floating(const Visit& visit) {
  for_each_dtype([&]<class T>() {
    if constexpr (kFloating<T>) visit.template operator()<T>();
  });
}

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

/// Returns each of the CPU's sets with 3 or with 5 threads, the first with both (a sanitizer sees
/// enough with one), and CUDA's.
inline std::vector<KernelSet> kernel_sets() {
  std::vector<KernelSet> sets;
  for (const cpu::Capability* set : runnable_sets()) {
    if (sets.empty() && !has_sanitizer()) sets.push_back({set, 5});
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
void run_oracle(Args args) {
  static const sim::OracleTable oracle = sim::make_oracle();
  static OracleResults results;
  ASSERT_TRUE(oracle.supports[static_cast<std::size_t>(kernels::SlotOf<Args>::slot)](&args));
  const auto compute = [&] {
    kernels::KernelContext context;
    oracle.kernels[kernels::SlotOf<Args>::slot](&args, &context);
    ASSERT_EQ(context.status, kernels::StatusCode::kOk);
  };
  if constexpr (requires { args.generator; }) {
    compute();  // which also advances the generator
  } else {
    results.fill(args, compute);
  }
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

/// For tests of what only CUDA's kernels do.
#define TERN_CUDA_KERNEL_TESTS(Suite)                                                           \
  INSTANTIATE_TEST_SUITE_P(Sets, Suite,                                                         \
                           ::testing::Values(testing::KernelSet{&emulator::cuda_kernels(), 1}), \
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
  const int unit = std::max(exponent, Limits<T>::min_exponent - 1) - (Limits<T>::digits - 1);
  return std::abs(static_cast<Number>(got) - want) / std::ldexp(Number(1), unit);
}

/// Returns the distance from `got` to `want`, in units of the last place that T has at `want`.
template <class T>
Number ulps(T got, Number want) {
  if constexpr (!kFloating<T>) {
    return std::abs(static_cast<Number>(got) - want);
  } else {
    constexpr Number kFar = std::numeric_limits<Number>::infinity();
    constexpr auto kLargest = static_cast<Number>(Limits<T>::max());
    const auto x = static_cast<Number>(got), rounded = static_cast<Number>(static_cast<T>(want));
    if (std::isnan(want) || std::isnan(x)) return std::isnan(want) && std::isnan(x) ? 0 : kFar;
    if (x == rounded) return std::isinf(x) ? 0 : distance<T>(got, want);
    // One of the two may just miss an overflow.
    if (std::isinf(rounded) || std::isinf(x)) {
      const bool near = std::abs(x) == kLargest || std::abs(rounded) == kLargest;
      return near && std::signbit(x) == std::signbit(rounded) ? 1 : kFar;
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
