#pragma once

#include <string>

#include <tern/core/kernels/families/linalg.h>
#include <tern/core/tensor/tensor.h>

// What the ops of linear algebra share.

namespace tern::detail {

/// Returns the sizes without the last two.
IntArrayRef batch_of(const Tensor& matrices);
/// Returns the sizes of a batch of matrices, or of vectors.
DimVector with_matrix(IntArrayRef batch, std::int64_t rows, std::int64_t columns);
DimVector with_vector(IntArrayRef batch, std::int64_t size);

/// Throws ShapeError unless the tensor has two dimensions or more.
void check_is_matrix(const char* argument, const Tensor& tensor);
/// Throws NotImplementedError for other dtypes than float32 and float64, ShapeError for a tensor
/// with less than two dimensions.
void check_matrices(const Tensor& a);
/// Does the same and throws ShapeError unless the matrices are square.
void check_square(const Tensor& a);

/// Fills in dtype, sizes and pointers of `a` and `b`, if defined, and runs the kernel over all
/// matrices. Returns `info`; undefined if no matrix has elements.
Tensor run_linalg(const char* name, kernels::LinalgArgs args, const Tensor& a,
                  const Tensor& b = {});

/// The first matrix without a result: its index in the batch, for error texts, and its info.
struct Failure {
  std::string batch;
  std::int64_t info = 0;
};
/// Waits for the device.
Failure first_failure(const Tensor& info);
/// The info of the kernel for the matrices of `a` as programs get it: int32.
Tensor info_of(const Tensor& info, const Tensor& a);

/// Returns the recorded inverse, NaN for a singular matrix, and the info of the kernel.
std::tuple<Tensor, Tensor> inverse_and_info(const Tensor& a);

/// Appends two dimensions of size 1.
Tensor as_matrices(const Tensor& numbers);
/// Returns a square matrix of ones where the column minus the row is at most `diagonal`.
Tensor lower_mask(std::int64_t n, std::int64_t diagonal, const TensorOptions& options);
/// Returns the elements on the diagonal of square matrices.
Tensor diagonal_of(const Tensor& matrices);
/// Returns the rows of `matrices` in the order that the pivots of an LU factorization give, or the
/// reverse of that order.
Tensor permute_rows(const Tensor& matrices, const Tensor& pivots, bool reverse);

}  // namespace tern::detail
