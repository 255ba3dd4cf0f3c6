#include <functional>
#include <memory>
#include <vector>

#include "backends/narrow.h"

#include <tern/core/kernels/families/copy.h>
#include <tern/core/kernels/families/index.h>
#include <tern/core/kernels/families/reduce.h>

// The CPU's reductions, casts and sums by index in the narrow dtypes against the oracle.

namespace tern {
namespace {

using namespace kernels;
using testing::kIsFloat;
using testing::Noise;
using testing::sample;
using testing::steps;

using Dims = std::vector<std::int64_t>;

class Narrow : public testing::KernelTest {
 protected:
  Narrow() { set_num_threads(3); }
};

template <class T, class Out>
void check_reduction(ReduceOp op, const Dims& kept, const Dims& kept_in, const Dims& reduced,
                     const Dims& reduced_in, const std::function<void(const ReduceArgs&)>& run) {
  SCOPED_TRACE(::testing::Message()
               << "op " << static_cast<int>(op) << " of " << dtype_info(dtype_of<T>()).name
               << ", kept " << ::testing::PrintToString(kept) << ", reduced "
               << ::testing::PrintToString(reduced));
  Noise noise(11);
  Dims sizes = kept, strides = kept_in;
  sizes.insert(sizes.end(), reduced.begin(), reduced.end());
  strides.insert(strides.end(), reduced_in.begin(), reduced_in.end());
  std::vector<T> in(testing::extent(sizes, strides));
  const bool tests = op == ReduceOp::kAny || op == ReduceOp::kAll;
  for (T& x : in) {
    x = kIsFloat<T> ? T(noise.uniform(0, 100)) : sample<T>(noise);
    if (tests) x = T((noise.bits() % 512 == 0) == (op == ReduceOp::kAny) ? 64 : 0);
  }
  const auto count = static_cast<std::size_t>(testing::count_of(kept));
  std::vector<Out> out(count), want(count);
  std::vector<T> values(count), want_values(count);
  ReduceArgs args{};
  args.op = op;
  args.in_dtype = dtype_of<T>();
  args.out_dtype = tests ? kBool : dtype_of<Out>();
  args.kept_ndim = static_cast<int>(kept.size());
  args.reduced_ndim = static_cast<int>(reduced.size());
  std::copy(kept.begin(), kept.end(), args.kept_sizes);
  std::copy(kept_in.begin(), kept_in.end(), args.kept_in_strides);
  std::copy(reduced.begin(), reduced.end(), args.reduced_sizes);
  std::copy(reduced_in.begin(), reduced_in.end(), args.reduced_in_strides);
  args.kept_out_strides[0] = 1;
  args.scale = 1;
  args.in = in.data();
  args.out = out.data();
  args.values = values.data();
  run(args);
  args.out = want.data();
  args.values = want_values.data();
  testing::run_oracle(args);
  const bool rounds = kIsFloat<T> && op == ReduceOp::kSum;
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_LE(steps(out[i], want[i]), rounds ? 1 : 0) << i;
    ASSERT_EQ(steps(values[i], want_values[i]), 0) << i;
  }
}

TEST_P(Narrow, EveryReduction) {
  const auto run_kernel = [this](const ReduceArgs& args) {
    ASSERT_EQ(run(args).status, StatusCode::kOk);
  };
  const auto check_all = [&]<class T>(TypeTag<T>) {
    using Sum = std::conditional_t<kIsFloat<T>, T, std::int64_t>;
    const auto check = [&](const Dims& kept, const Dims& kept_in, const Dims& reduced,
                           const Dims& reduced_in) {
      using enum ReduceOp;
      for (const ReduceOp op : {kAmax, kAmin}) {
        check_reduction<T, T>(op, kept, kept_in, reduced, reduced_in, run_kernel);
      }
      for (const ReduceOp op : {kAny, kAll}) {
        check_reduction<T, std::uint8_t>(op, kept, kept_in, reduced, reduced_in, run_kernel);
      }
      for (const ReduceOp op : {kArgmax, kArgmin}) {
        check_reduction<T, std::int64_t>(op, kept, kept_in, reduced, reduced_in, run_kernel);
      }
      check_reduction<T, Sum>(kSum, kept, kept_in, reduced, reduced_in, run_kernel);
    };
    for (const std::int64_t n : {1, 3, 63, 64, 65, 200, 5000, 70001}) {
      check({}, {}, {n}, {1});
      if (n > 200) continue;
      check({37}, {n}, {n}, {1});  // rows
      check({n}, {1}, {37}, {n});  // columns
      check({n}, {2}, {37}, {2 * n});
      check({37}, {2 * n}, {n}, {2});
    }
    check({700}, {1}, {300}, {700});
  };
  check_all(TypeTag<std::uint8_t>());
  check_all(TypeTag<std::int8_t>());
  check_all(TypeTag<std::int16_t>());
  check_all(TypeTag<Half>());
  check_all(TypeTag<BFloat16>());
}

// Every bit pattern of 16 bits, so that integers wrap around and halves have all kinds of numbers.
TEST_P(Narrow, CastsToEveryDtype) {
  // The elements of bool are handled as bytes.
  const auto check_pair = [&]<class Out, class In>(TypeTag<Out>, ScalarType out_dtype, TypeTag<In>,
                                                   ScalarType in_dtype) {
    constexpr std::int64_t n = 65536 + 7;
    std::vector<In> in(n);
    for (std::size_t i = 0; i < in.size(); ++i) {
      if constexpr (kIsFloat<In>) {
        in[i] = In::from_bits(static_cast<std::uint16_t>(i));
      } else {
        in[i] = static_cast<In>(in_dtype == kBool ? i % 2 : i);
      }
    }
    std::vector<Out> out(n), want(n);
    CopyArgs args{};
    args.ndim = 1;
    args.out_dtype = out_dtype;
    args.in_dtype = in_dtype;
    args.sizes[0] = n;
    args.in_strides[0] = args.out_strides[0] = 1;
    args.in = in.data();
    args.out = out.data();
    ASSERT_EQ(run(args).status, StatusCode::kOk);
    args.out = want.data();
    testing::run_oracle(args);
    for (std::size_t i = 0; i < out.size(); ++i) {
      ASSERT_EQ(steps(out[i], want[i]), 0) << i << ", " << dtype_info(args.in_dtype).name << " to "
                                           << dtype_info(args.out_dtype).name;
    }
  };
  const auto check_from = [&]<class In>(TypeTag<In> in, ScalarType in_dtype) {
    const auto check_to = [&](auto... outs) {
      (check_pair(outs, dtype_of<typename decltype(outs)::type>(), in, in_dtype), ...);
    };
    check_to(TypeTag<std::uint8_t>(), TypeTag<std::int8_t>(), TypeTag<std::int16_t>(),
             TypeTag<std::int32_t>(), TypeTag<std::int64_t>(), TypeTag<Half>(),
             TypeTag<BFloat16>());
    check_pair(TypeTag<std::uint8_t>(), kBool, in, in_dtype);
  };
  check_from(TypeTag<std::uint8_t>(), kByte);
  check_from(TypeTag<std::uint8_t>(), kBool);
  check_from(TypeTag<std::int8_t>(), kChar);
  check_from(TypeTag<std::int16_t>(), kShort);
  check_from(TypeTag<Half>(), kHalf);
  check_from(TypeTag<BFloat16>(), kBFloat16);
}

template <class T>
void check_sums_by_index(const std::function<void(const IndexArgs&)>& run) {
  for (const std::int64_t inner : {1, 5, 40, 3001}) {
    for (const IndexOp op : {IndexOp::kAdd, IndexOp::kScatterAdd}) {
      constexpr std::int64_t kOuter = 3, kCount = 50, kRows = 9;
      const std::int64_t each = op == IndexOp::kScatterAdd ? kOuter * inner : 1;
      Noise noise(5);
      std::vector<std::int64_t> index(static_cast<std::size_t>(kCount * each));
      for (auto& i : index) i = static_cast<std::int64_t>(noise.bits() % kRows);
      std::vector<T> in(static_cast<std::size_t>(kOuter * kCount * inner));
      for (T& x : in) x = sample<T>(noise);
      std::vector<T> out(static_cast<std::size_t>(kOuter * kRows * inner), T(2)), want = out;
      IndexArgs args{};
      args.op = op;
      args.dtype = dtype_of<T>();
      args.outer = kOuter;
      args.inner = inner;
      args.in_size = args.count = kCount;
      args.out_size = args.limit = kRows;
      args.in = in.data();
      args.index = index.data();
      args.out = out.data();
      run(args);
      args.out = want.data();
      testing::run_oracle(args);
      for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(steps(out[i], want[i]), 0) << i;
    }
  }
}

TEST_P(Narrow, SumsByIndex) {
  const auto run_kernel = [this](const IndexArgs& args) {
    ASSERT_EQ(run(args).status, StatusCode::kOk);
  };
  check_sums_by_index<std::uint8_t>(run_kernel);
  check_sums_by_index<std::int8_t>(run_kernel);
  check_sums_by_index<std::int16_t>(run_kernel);
  check_sums_by_index<Half>(run_kernel);
  check_sums_by_index<BFloat16>(run_kernel);
}

TERN_CPU_KERNEL_TESTS(Narrow);

}  // namespace
}  // namespace tern
