#pragma once

#include <tern/core/tensor/tensor.h>

// Reductions. `dim` lists the dimensions that go (all of them when empty); with keepdim they stay
// with size 1.

namespace tern {

/// Sum; bool and int64 give int64.
TERN_API Tensor sum(const Tensor& self);
TERN_API Tensor sum(const Tensor& self, IntArrayRef dim, bool keepdim = false,
                    std::optional<ScalarType> dtype = std::nullopt);
/// Mean of floating tensors; NaN of an empty one.
TERN_API Tensor mean(const Tensor& self);
TERN_API Tensor mean(const Tensor& self, IntArrayRef dim, bool keepdim = false);
/// Product; bool and int64 give int64.
TERN_API Tensor prod(const Tensor& self);
TERN_API Tensor prod(const Tensor& self, std::int64_t dim, bool keepdim = false);
/// Variance, divided by N - 1 when unbiased, by N otherwise. The bool alone takes no number, so
/// that var(x, 0) is that of dimension 0.
TERN_API Tensor var(const Tensor& self);
TERN_API Tensor var(const Tensor& self, IntArrayRef dim, bool unbiased = true,
                    bool keepdim = false);
template <class Bool>
requires std::is_same_v<Bool, bool> Tensor var(const Tensor& self, Bool unbiased) {
  return var(self, IntArrayRef(), unbiased);
}
TERN_API Tensor std(const Tensor& self);
TERN_API Tensor std(const Tensor& self, IntArrayRef dim, bool unbiased = true,
                    bool keepdim = false);
template <class Bool>
requires std::is_same_v<Bool, bool> Tensor std(const Tensor& self, Bool unbiased) {
  return std(self, IntArrayRef(), unbiased);
}
/// The p-norm (2 by default); the 2-norm has gradient 0 at 0.
TERN_API Tensor norm(const Tensor& self);
TERN_API Tensor norm(const Tensor& self, const Scalar& p);
TERN_API Tensor norm(const Tensor& self, const Scalar& p, IntArrayRef dim, bool keepdim = false);
/// Largest and smallest elements; equal ones share the gradient. Throws IndexError when there is
/// nothing to choose from.
TERN_API Tensor amax(const Tensor& self, IntArrayRef dim = {}, bool keepdim = false);
TERN_API Tensor amin(const Tensor& self, IntArrayRef dim = {}, bool keepdim = false);
TERN_API Tensor max(const Tensor& self);
TERN_API Tensor min(const Tensor& self);
/// (values, indices) along one dimension; the first of equals is chosen and gets the gradient.
TERN_API std::tuple<Tensor, Tensor> max(const Tensor& self, std::int64_t dim, bool keepdim = false);
TERN_API std::tuple<Tensor, Tensor> min(const Tensor& self, std::int64_t dim, bool keepdim = false);
/// Position of the first extreme, in the flattened tensor without `dim`.
TERN_API Tensor argmax(const Tensor& self, std::optional<std::int64_t> dim = std::nullopt,
                       bool keepdim = false);
TERN_API Tensor argmin(const Tensor& self, std::optional<std::int64_t> dim = std::nullopt,
                       bool keepdim = false);
TERN_API Tensor all(const Tensor& self);
TERN_API Tensor all(const Tensor& self, std::int64_t dim, bool keepdim = false);
TERN_API Tensor any(const Tensor& self);
TERN_API Tensor any(const Tensor& self, std::int64_t dim, bool keepdim = false);

/// e^x / sum(e^x) along `dim`; floating dtypes.
TERN_API Tensor softmax(const Tensor& self, std::int64_t dim);
TERN_API Tensor log_softmax(const Tensor& self, std::int64_t dim);

}  // namespace tern
