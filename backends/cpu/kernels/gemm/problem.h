#pragma once

#include <cstdint>
#include <utility>

#include <tern/backends/cpu/kernels/gemm/format.h>
#include <tern/backends/cpu/kernels/support/divide_up.h>
#include <tern/backends/cpu/kernels/support/scratch.h>
#include <tern/core/kernels/families/gemm.h>

namespace tern::cpu {

/// An operand of a product; strides count elements.
template <class T>
struct Matrix {
  T* data;
  std::int64_t batch, row, column;
};

/// GemmArgs for elements of type S: c = alpha * a x b + beta * c + bias.
template <class S>
struct Problem {
  std::int64_t m, n, k;
  Matrix<const S> a, b;
  Matrix<S> c;    // column stride 1; if transposed, row stride 1
  const S* bias;  // one number per column, contiguous; if transposed, per row; null: none
  SumOf<S> alpha, beta;
  Format<S> format;
  bool transposed = false;

  /// Turns this into the product of the transposed matrices.
  void transpose() {
    std::swap(m, n);
    std::swap(a, b);
    std::swap(a.row, a.column);
    std::swap(b.row, b.column);
    std::swap(c.row, c.column);
    transposed = !transposed;
  }

  /// Returns the problem for matrix `index` of the batch.
  Problem at(std::int64_t index) const {
    Problem one = *this;
    one.a.data += index * a.batch;
    one.b.data += index * b.batch;
    one.c.data += index * c.batch;
    return one;
  }
};

}  // namespace tern::cpu
