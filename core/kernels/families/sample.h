#pragma once

#include <tern/core/kernels/host_device.h>
#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

enum class SampleOp : std::int32_t {
  kPoisson,   // a = rates
  kBinomial,  // a = counts, b = probabilities
  kSlope,     // a = inputs of rrelu: uniform in [low, high) where a <= 0, else 1
};

/// Draws one number per element of `a`, whose distribution the element decides. An element takes as
/// many uniform numbers of 53 bits as it needs. The CPU draws them from `generator`, a
/// tern::Mt19937*, element after element. On a device, element e takes them from subsequence e of
/// Philox, two per block, from the block at `offset` on; `philox` as in RandomArgs. All operands
/// are contiguous.
struct SampleArgs {
  SampleOp op;
  ScalarType dtype;
  void* out;
  const void* a;
  const void* b;  // null unless the op has two operands
  std::int64_t count;
  double low, high;
  void* generator;
  std::uint64_t seed, offset;
  const std::uint64_t* philox;
};

/// The number of Philox blocks that a device reserves for each element.
constexpr std::uint64_t kSampleBlocks = 64;

TERN_KERNEL_SLOT(sample, SampleArgs)

inline Operands operands(SampleArgs& args) {
  return Operands()
      .add("the output", args.out, args.dtype, args.count)
      .add("the first parameter", args.a, args.dtype, args.count)
      .add("the second parameter", args.b, args.dtype, args.count)
      .add("seed and offset", args.philox, kLong, 2);
}

/// Finds indices by random numbers: out[r][s] is the first index with a weight above 0 whose
/// running sum of weights[r], divided by the sum of the row, is at least uniform[r][s]; the last
/// index with a weight if there is none. `sums` holds the running sums meanwhile.
struct MultinomialArgs {
  ScalarType dtype;  // of weights and sums: float32 or float64
  std::int64_t* out;
  const void* weights;
  void* sums;
  const double* uniform;
  std::int64_t rows, categories, samples;
};

TERN_KERNEL_SLOT(multinomial, MultinomialArgs)

/// Returns `found` if this category has a weight, else the next one that has, else the last one
/// before it. Rounded sums and the random number 0 may find a category without a weight.
template <class T>
TERN_HOST_DEVICE std::int64_t category_with_weight(const T* weights, std::int64_t categories,
                                                   std::int64_t found) {
  while (found + 1 < categories && !(weights[found] > 0)) ++found;
  while (found > 0 && !(weights[found] > 0)) --found;
  return found;
}

inline Operands operands(MultinomialArgs& args) {
  return Operands()
      .add("the output", args.out, kLong, args.rows * args.samples)
      .add("the weights", args.weights, args.dtype, args.rows * args.categories)
      .add("the sums", args.sums, args.dtype, args.rows * args.categories)
      .add("the uniform numbers", args.uniform, kDouble, args.rows * args.samples);
}

}  // namespace tern::kernels
