// Instruction sets: baseline.

#include <algorithm>
#include <cstdint>

#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/families/sample.h>
#include <tern/core/kernels/math/math_dtype.h>
#include <tern/core/kernels/samplers.h>
#include <tern/core/tensor/mt19937.h>

namespace tern::cpu {
namespace {

using kernels::MultinomialArgs;
using kernels::SampleArgs;
using kernels::SampleOp;

/// Draws one element after the other, because an element decides how many numbers it takes.
template <class T>
void sample_all(const SampleArgs& args) {
  constexpr std::uint64_t kMask = (std::uint64_t{1} << 53) - 1;
  Mt19937& generator = *static_cast<Mt19937*>(args.generator);
  auto next = [&] { return static_cast<double>(generator.next64() & kMask) * 0x1p-53; };
  T* const out = static_cast<T*>(args.out);
  const T *const a = static_cast<const T*>(args.a), *const b = static_cast<const T*>(args.b);
  const double range = args.high - args.low;
  for (std::int64_t i = 0; i < args.count; ++i) {
    switch (args.op) {
      case SampleOp::kPoisson:
        out[i] = static_cast<T>(kernels::poisson_sample(a[i], next));
        break;
      case SampleOp::kBinomial:
        out[i] = static_cast<T>(kernels::binomial_sample(a[i], b[i], next));
        break;
      case SampleOp::kSlope:
        out[i] = a[i] <= 0 ? static_cast<T>(next() * range + args.low) : T(1);
        break;
    }
  }
}

void sample(const SampleArgs& args, kernels::KernelContext& context) {
  kernels::visit_floating(args.dtype, context,
                          [&](auto tag) { sample_all<typename decltype(tag)::type>(args); });
}

/// Writes the running sums of a row, divided by its sum. The last is 1 whatever the rounding.
template <class T>
void normalised_sums(const T* weights, T* sums, std::int64_t count) {
  T sum = 0;
  for (std::int64_t j = 0; j < count; ++j) sums[j] = sum += weights[j];
  for (std::int64_t j = 0; j < count; ++j) sums[j] /= sum;
  sums[count - 1] = 1;
}

template <class T>
void find_all(const MultinomialArgs& args) {
  constexpr std::int64_t kSumGrain = 8192, kSearchGrain = 1024;  // elements
  T* const sums = static_cast<T*>(args.sums);
  parallel_for(0, args.rows, std::max<std::int64_t>(kSumGrain / args.categories, 1),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t row = begin; row < end; ++row) {
                   const std::int64_t at = row * args.categories;
                   normalised_sums(static_cast<const T*>(args.weights) + at, sums + at,
                                   args.categories);
                 }
               });
  parallel_for(
      0, args.rows * args.samples, kSearchGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const T* const row = sums + i / args.samples * args.categories;
          const T* const found =
              std::lower_bound(row, row + args.categories - 1, args.uniform[i],
                               [](T sum, double uniform) { return sum < uniform; });
          args.out[i] = kernels::category_with_weight(
              static_cast<const T*>(args.weights) + (row - sums), args.categories, found - row);
        }
      });
}

void multinomial(const MultinomialArgs& args, kernels::KernelContext& context) {
  kernels::visit_floating(args.dtype, context,
                          [&](auto tag) { find_all<typename decltype(tag)::type>(args); });
}

}  // namespace

void register_sample(kernels::KernelTable& table) {
  kernels::set<SampleArgs, sample>(table);
  kernels::set<MultinomialArgs, multinomial>(table);
}

}  // namespace tern::cpu
