#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

enum class RandomOp : std::int32_t {
  kUniform,      // a = from, b = to
  kNormal,       // a = mean, b = std
  kBernoulli,    // a = p
  kRandint,      // integers in [low, high); the count is modulo 2^64, 0 means all 64-bit numbers.
                 // a = 1: a number takes one word, however long the range
  kExponential,  // a = rate
  kCauchy,       // a = median, b = sigma
  kLogNormal,    // a = mean, b = std, of the logarithm
  kGeometric,    // a = p
};

/// Returns true if only floating dtypes can hold the numbers of `op`.
constexpr bool draws_real_numbers(RandomOp op) {
  return op != RandomOp::kBernoulli && op != RandomOp::kRandint && op != RandomOp::kGeometric;
}

/// Fills `out` in memory order (the view is dense: contiguous or a permutation of it) with random
/// numbers. The CPU draws from `generator`, a tern::Mt19937*, by PyTorch's rules (see the CPU's
/// random.cpp). A device uses the seed and offset of Philox4x32-10: element / 4 is the subsequence
/// and element % 4 the word. In a graph, whose arguments are fixed, `philox` is not null: the
/// kernel reads the seed from philox[0] when it runs, and its offset is philox[1] + `offset`.
/// Numbers of 64 bits (float64, and kRandint over a long range) take two words: elements 0 and 1 of
/// four from the block at `offset`, elements 2 and 3 from the next block. float16 and bfloat16 take
/// the numbers of float32, rounded; a uniform number that becomes `to` is replaced by `from`.
struct RandomArgs {
  RandomOp op;
  ScalarType dtype;
  void* out;
  std::int64_t count;
  std::int32_t contiguous;  // the view is row-major, not permuted
  double a, b;
  std::int64_t low, high;
  void* generator;
  std::uint64_t seed, offset;
  const std::uint64_t* philox;  // device memory, aligned to 16 bytes; null outside a graph
};

TERN_KERNEL_SLOT(random, RandomArgs)

/// Returns the count of integers that kRandint draws from; 0 means 2^64.
constexpr std::uint64_t randint_range(const RandomArgs& args) {
  return static_cast<std::uint64_t>(args.high) - static_cast<std::uint64_t>(args.low);
}

/// Returns true if an integer of kRandint takes two words.
constexpr bool randint_takes_two_words(const RandomArgs& args) {
  const std::uint64_t range = randint_range(args);
  return args.a != 1 && (range == 0 || range >= std::uint64_t{1} << 28);
}

inline Operands operands(RandomArgs& args) {
  return Operands()
      .add("the output", args.out, args.dtype, args.count)
      .add("seed and offset", args.philox, kLong, 2);
}

}  // namespace tern::kernels
