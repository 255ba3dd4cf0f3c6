#pragma once

#include <cstdint>

#include <tern/core/kernels/math/math_dtype.h>
#include <tern/core/kernels/view.h>

// Runs a contiguous inner loop over operands of any strides and dtypes: tiles of operands that are
// not contiguous are packed into small buffers on the stack, and narrow elements are converted
// there.

namespace tern::cpu {

/// The number of dtypes that kernels compute in.
constexpr int kMathDtypes = 5;

/// Returns the index of math_dtype(dtype) in tables.
constexpr int math_slot(ScalarType dtype) {
  switch (kernels::math_dtype(dtype)) {
    case kFloat:
      return 0;
    case kDouble:
      return 1;
    case kInt:
      return 2;
    case kLong:
      return 3;
    default:
      return 4;
  }
}

/// Computes out[i] = f(in[0][i], ...) for i < n. All operands are contiguous, except inputs that
/// are a single number.
using Loop = void (*)(void* out, const void* const* in, std::int64_t n,
                      const kernels::Immediate* scale);

/// One operand; strides count elements.
struct Operand {
  const void* data;
  const std::int64_t* strides;
  int element_size;
  Loop widen = nullptr;  // converts elements for the loop; null: the loop reads them as they are
};

/// An elementwise computation over `sizes`.
struct Job {
  // The loops of one op and dtype, whose index has a bit for each input that is a single number.
  // Null: the only input is copied.
  const Loop* loops;
  const kernels::Immediate* scale;
  int inputs, ndim;
  const std::int64_t* sizes;
  void* out;
  const std::int64_t* out_strides;
  int out_size;
  Operand in[3];
  std::int64_t grain;     // number of elements that is worth a thread
  Loop narrow = nullptr;  // converts the loop's results; null: they are stored as they are
};

void run_strided(const Job& job);

/// Returns the loop that casts elements by the rules of CopyArgs; null if there is none, because
/// the cast takes several steps.
Loop cast_loop_of(ScalarType out, ScalarType in);

/// Return the loop that casts elements of a narrow dtype to its math dtype, and the one that casts
/// back; null for other dtypes.
inline Loop widening_loop(ScalarType dtype) {
  return kernels::is_narrow(dtype) ? cast_loop_of(kernels::math_dtype(dtype), dtype) : nullptr;
}
inline Loop narrowing_loop(ScalarType dtype) {
  return kernels::is_narrow(dtype) ? cast_loop_of(dtype, kernels::math_dtype(dtype)) : nullptr;
}

/// A two-dimensional part of memory; strides count elements.
struct Tile {
  char* data;
  std::int64_t row_stride, column_stride;
};

/// Copies rows x columns elements; transposes are done in blocks.
void copy_tile(const Tile& to, const Tile& from, std::int64_t rows, std::int64_t columns,
               int element_size);

}  // namespace tern::cpu
