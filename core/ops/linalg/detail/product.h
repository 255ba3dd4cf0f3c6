#pragma once

#include <tern/core/tensor/tensor.h>

// A matrix product that is not recorded, for the ops that multiply matrices.

namespace tern::detail {

/// The name of a product, and what is added to it.
struct Product {
  const char* name;
  const Tensor* bias = nullptr;  // [n], added to each row
  double alpha = 1, beta = 0;
};

/// Multiplies the last two dimensions of a and b into the contiguous `out`. `batch` is the number
/// of matrices; a broadcast batch has stride 0.
void multiply(const Product& product, const Tensor& a, std::int64_t a_batch, const Tensor& b,
              std::int64_t b_batch, std::int64_t batch, const Tensor& out);

/// Throws DTypeError unless two matrices have the same dtype.
void check_same_dtype_of_matrices(const Tensor& a, const Tensor& b);
/// Throws ShapeError unless two matrices can be multiplied.
void check_inner_sizes(const Tensor& a, const Tensor& b);
/// Throws ShapeError unless `tensor` has two dimensions.
void check_matrix(const char* argument, const Tensor& tensor);

/// Returns the elements of a new contiguous product with other sizes, without history. Nobody else
/// holds the product, so the result is a tensor of its own, not a view.
Tensor with_sizes(const Tensor& product, IntArrayRef sizes);
/// Does the same, recorded under the name `node`.
Tensor unsafe_view(const char* node, const Tensor& product, IntArrayRef sizes);

}  // namespace tern::detail
