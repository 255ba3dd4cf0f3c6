// Compiled for size.

#include <vector>

#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>

namespace tern {
namespace {

// The best order of a chain of products: split[i][j] is the last matrix of the left factor of the
// product of matrices i to j (Cormen et al., Introduction to Algorithms, matrix-chain
// multiplication).
class ChainOrder {
 public:
  // sizes[i] and sizes[i + 1] are rows and columns of matrix i.
  explicit ChainOrder(const std::vector<double>& sizes) : n_(sizes.size() - 1), split_(n_ * n_) {
    std::vector<double> cost(n_ * n_);
    for (std::size_t length = 2; length <= n_; ++length) {
      for (std::size_t i = 0; i + length <= n_; ++i) {
        const std::size_t j = i + length - 1;
        double& best = cost[i * n_ + j];
        for (std::size_t k = i; k < j; ++k) {
          const double total =
              cost[i * n_ + k] + cost[(k + 1) * n_ + j] + sizes[i] * sizes[k + 1] * sizes[j + 1];
          if (k > i && !(total < best)) continue;
          best = total;
          split_[i * n_ + j] = k;
        }
      }
    }
  }

  Tensor multiply(const std::vector<Tensor>& matrices, std::size_t i, std::size_t j) const {
    if (i == j) return matrices[i];
    const std::size_t k = split_[i * n_ + j];
    return multiply(matrices, i, k).mm(multiply(matrices, k + 1, j));
  }

 private:
  std::size_t n_;
  std::vector<std::size_t> split_;
};

}  // namespace

Tensor linalg_multi_dot(TensorList tensors) {
  TERN_OP("linalg_multi_dot");
  TERN_AUTOCAST(kUnchanged, kLower, linalg_multi_dot, tensors);
  TERN_AUTOCAST_INNER_OPS();
  const std::size_t n = tensors.size();
  TERN_CHECK(n >= 2, Error, "expected at least 2 tensors but got ", n);
  detail::check_all_defined(tensors);
  const std::int64_t first = tensors[0].dim(), last = tensors[n - 1].dim();
  TERN_CHECK(first == 1 || first == 2, ShapeError, "the first tensor must be 1D or 2D but got ",
             first, "D");
  TERN_CHECK(last == 1 || last == 2, ShapeError, "the last tensor must be 1D or 2D but got ", last,
             "D");
  std::vector<Tensor> matrices(tensors.begin(), tensors.end());
  for (std::size_t i = 1; i + 1 < n; ++i) {
    TERN_CHECK(tensors[i].dim() == 2, ShapeError, "tensor ", i, " must be 2D but got ",
               tensors[i].dim(), "D");
  }
  if (first == 1) matrices.front() = matrices.front().unsqueeze(0);
  if (last == 1) matrices.back() = matrices.back().unsqueeze(-1);
  std::vector<double> sizes{static_cast<double>(matrices[0].size(0))};
  for (std::size_t i = 0; i < n; ++i) {
    TERN_CHECK(tensors[i].dtype() == tensors[0].dtype(), DTypeError,
               "all tensors must have be the same dtype but tensor 0 is ", tensors[0].scalar_type(),
               " and tensor ", i, " ", tensors[i].scalar_type());
    detail::check_same_device("mm", {&matrices[0], &matrices[i]}, {"self", "mat2"});
    TERN_CHECK(i == 0 || matrices[i - 1].size(1) == matrices[i].size(0), ShapeError, "tensors ",
               i - 1, " and ", i, " with shapes ", tensors[i - 1].sizes(), " and ",
               tensors[i].sizes(), " cannot be multiplied");
    sizes.push_back(static_cast<double>(matrices[i].size(1)));
  }
  const Tensor product = ChainOrder(sizes).multiply(matrices, 0, n - 1);
  DimVector shape;
  if (first == 2) shape.push_back(product.size(0));
  if (last == 2) shape.push_back(product.size(1));
  return product.reshape(shape);
}

}  // namespace tern
