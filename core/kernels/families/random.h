#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

enum class RandomOp : std::int32_t {
  kUniform,    // a = from, b = to
  kNormal,     // a = mean, b = std
  kBernoulli,  // a = p
  kRandint,    // integers in [low, high), their number taken modulo 2^64; 0 stands for any 64 bits
};

/// Fills `out` in memory order (the view is dense: contiguous or a permutation of it) with numbers
/// of `generator`: on the CPU a tern::Mt19937*, by PyTorch's rules (random.cpp there); on a
/// device the seed and offset of Philox4x32-10, element / 4 being the subsequence and element % 4
/// the word. In a graph, whose arguments are frozen, `philox` is not null: the kernel reads the
/// seed from philox[0] when it runs, and its offset is philox[1] + `offset`. What needs 64 bits
/// (float64, kRandint over a range from 2^28 on) takes two words: elements 0 and 1 of four from the
/// block at `offset`, 2 and 3 from the next.
struct RandomArgs {
  RandomOp op;
  ScalarType dtype;
  void* out;
  std::int64_t count;
  std::int32_t contiguous;  // the view is row-major, not a permutation of it
  double a, b;
  std::int64_t low, high;
  void* generator;
  std::uint64_t seed, offset;
  const std::uint64_t* philox;  // device memory, aligned to 16 bytes; null outside a graph
};

TERN_KERNEL_SLOT(random, RandomArgs)

inline Operands operands(RandomArgs& args) {
  return Operands()
      .add("the output", args.out, args.dtype, args.count)
      .add("seed and offset", args.philox, kLong, 2);
}

}  // namespace tern::kernels
