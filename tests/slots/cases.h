#pragma once

#include <cstdint>
#include <vector>

#include <tern/core/kernels/slots.h>
#include <tern/tern.h>

namespace tern::slots {

/// How large the operands are: `row` elements in a row of a large tensor, `side` rows and columns
/// of a matrix, planes of `plane` x `plane`. Of the elementwise ops, whose slot takes longest, only
/// every `parts`-th, from `part`.
struct Sizes {
  std::int64_t row, side, plane;
  int part = 0, parts = 1;
};

/// One case runs ops on the CPU; the calls of `slot` are compared with the device.
struct Case {
  kernels::Slot slot;
  void (*run)(const Sizes& sizes);
};

const std::vector<Case>& elementwise_cases();
const std::vector<Case>& shape_cases();   // copies, indices, order
const std::vector<Case>& number_cases();  // sums, products, layers, random numbers

constexpr ScalarType kFloatingDtypes[] = {kFloat, kDouble, kHalf, kBFloat16};
constexpr ScalarType kAllDtypes[] = {kFloat, kDouble, kHalf, kBFloat16, kLong,
                                     kInt,   kShort,  kChar, kByte,     kBool};

/// Returns numbers of [low, high), the same in each run; integers are rounded down.
Tensor numbers(IntArrayRef sizes, ScalarType dtype, double low = 0.5, double high = 1.5);
/// Returns indices of [0, limit).
Tensor indices(IntArrayRef sizes, std::int64_t limit);
/// Returns the first gradient of the sum of `out` times other numbers, so that backward kernels
/// run.
void run_backward(const Tensor& out);

}  // namespace tern::slots
