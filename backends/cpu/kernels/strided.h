#pragma once

#include <cstdint>

#include <tern/core/kernels/view.h>

// Runs a contiguous inner loop over operands of any strides: tiles of operands that are not
// contiguous are packed into small buffers on the stack.

namespace tern::cpu {

/// Consecutive numbers of the compute dtypes, as indices of tables.
enum DtypeSlot {
#define TERN_DTYPE(name, type, number, file_name, python_name, category) name##Slot,
#include <tern/core/tensor/compute_dtypes.def>
#undef TERN_DTYPE
  kDtypes
};

constexpr int dtype_slot(ScalarType dtype) {
  switch (dtype) {
#define TERN_DTYPE(name, type, number, file_name, python_name, category) \
  case ScalarType::name:                                                 \
    return name##Slot;
#include <tern/core/tensor/compute_dtypes.def>
#undef TERN_DTYPE
    default:
      return 0;
  }
}

/// Computes out[i] = f(in[0][i], ...) for i < n. All operands are contiguous, except inputs that
/// are a single number.
using Loop = void (*)(void* out, const void* const* in, std::int64_t n,
                      const kernels::Immediate* scale);

/// The loops of one op and dtype. The index has a bit for each input that is a single number.
struct LoopSet {
  Loop by_numbers[7];
};

/// One operand; strides count elements.
struct Operand {
  const void* data;
  const std::int64_t* strides;
  int element_size;
};

/// An elementwise computation over `sizes`.
struct Job {
  const LoopSet* loops;  // null: the only input is copied
  const kernels::Immediate* scale;
  int inputs, ndim;
  const std::int64_t* sizes;
  void* out;
  const std::int64_t* out_strides;
  int out_size;
  Operand in[3];
  std::int64_t grain;  // number of elements that is worth a thread
};

void run_strided(const Job& job);

/// A two-dimensional part of memory; strides count elements.
struct Tile {
  char* data;
  std::int64_t row_stride, column_stride;
};

/// Copies rows x columns elements; transposes are done in blocks.
void copy_tile(const Tile& to, const Tile& from, std::int64_t rows, std::int64_t columns,
               int element_size);

}  // namespace tern::cpu
