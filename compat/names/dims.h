#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <vector>

#include <tern/compat/names/at.h>

// Numbers of dimensions and products of sizes: c10/core/WrapDimMinimal.h, c10/util/accumulate.h,
// ATen/WrapDimUtils.h and ATen/ExpandUtils.h.

namespace c10 {

/// Returns `dim` counted from the front of `ndim` dimensions. A tensor without dimensions has the
/// dims 0 and -1, unless `wrap_scalar` is false. Throws IndexError for a dimension out of range.
inline std::int64_t maybe_wrap_dim(std::int64_t dim, std::int64_t ndim, bool wrap_scalar = true) {
  TERN_CHECK(ndim >= 0, IndexError, "Rank cannot be negative but got ", ndim);
  TERN_CHECK(ndim > 0 || wrap_scalar, IndexError, "Dimension specified as ", dim,
             " but tensor has no dimensions");
  const std::int64_t range = std::max<std::int64_t>(ndim, 1);
  TERN_CHECK(dim >= -range && dim < range, IndexError,
             "Dimension out of range (expected to be in range of [", -range, ", ", range - 1,
             "], but got ", dim, ")");
  return dim < 0 ? dim + range : dim;
}

/// Return the sum of integers as an int64.
template <std::input_iterator Iterator>
std::int64_t sum_integers(Iterator begin, Iterator end) {
  return std::accumulate(begin, end, std::int64_t{0});
}
template <class Container>
std::int64_t sum_integers(const Container& integers) {
  return sum_integers(integers.begin(), integers.end());
}
/// Return the product of integers as an int64.
template <std::input_iterator Iterator>
std::int64_t multiply_integers(Iterator begin, Iterator end) {
  return std::accumulate(begin, end, std::int64_t{1}, std::multiplies<>());
}
template <class Container>
std::int64_t multiply_integers(const Container& integers) {
  return multiply_integers(integers.begin(), integers.end());
}
/// Returns the product of the sizes from number k on; 1 if there are not so many.
template <class Container>
std::int64_t numelements_from_dim(int k, const Container& dims) {
  TERN_CHECK(k >= 0, Error, "numelements_from_dim: expected k >= 0, got ", k);
  if (k > static_cast<int>(dims.size())) return 1;
  return multiply_integers(dims.begin() + k, dims.end());
}
/// Returns the product of the first k sizes. Throws Error if there are not so many.
template <class Container>
std::int64_t numelements_to_dim(int k, const Container& dims) {
  TERN_CHECK(k >= 0 && k <= static_cast<int>(dims.size()), Error,
             "numelements_to_dim: expected k in [0, ", dims.size(), "], got ", k);
  return multiply_integers(dims.begin(), dims.begin() + k);
}
/// Returns the product of the sizes from the smaller of k and l to the one before the larger.
/// Throws Error unless both are numbers of sizes.
template <class Container>
std::int64_t numelements_between_dim(int k, int l, const Container& dims) {
  const auto [from, to] = std::minmax(k, l);
  TERN_CHECK(from >= 0 && to < static_cast<int>(dims.size()), Error,
             "numelements_between_dim: expected numbers in [0, ", dims.size(), "), got ", k,
             " and ", l);
  return multiply_integers(dims.begin() + from, dims.begin() + to);
}

}  // namespace c10

namespace at {

/// Counts all dimensions from the front of `ndim` dimensions; see maybe_wrap_dim().
inline void maybe_wrap_dims(std::vector<std::int64_t>& dims, std::int64_t ndim,
                            bool wrap_scalars = true) {
  for (std::int64_t& dim : dims) dim = maybe_wrap_dim(dim, ndim, wrap_scalars);
}

/// Returns true when the sizes broadcast.
inline bool are_expandable(IntArrayRef a, IntArrayRef b) {
  const std::size_t shared = std::min(a.size(), b.size());
  for (std::size_t i = 1; i <= shared; ++i) {
    const std::int64_t left = a[a.size() - i], right = b[b.size() - i];
    if (left != right && left != 1 && right != 1) return false;
  }
  return true;
}
/// Returns true when `sizes` broadcast to `desired`.
inline bool is_expandable_to(IntArrayRef sizes, IntArrayRef desired) {
  if (sizes.size() > desired.size()) return false;
  for (std::size_t i = 1; i <= sizes.size(); ++i) {
    const std::int64_t size = sizes[sizes.size() - i];
    if (size != desired[desired.size() - i] && size != 1) return false;
  }
  return true;
}
/// Returns the sums of the elements that broadcasting from `sizes` would repeat.
inline Tensor sum_to(const Tensor& tensor, IntArrayRef sizes,
                     bool /*always_return_non_view*/ = false) {
  return tensor.sum_to_size(sizes);
}

namespace detail {
/// Returns the strides of a tensor in row-major order without gaps.
inline std::vector<std::int64_t> defaultStrides(IntArrayRef sizes) {
  std::vector<std::int64_t> strides(sizes.size());
  std::int64_t stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= sizes[i];
  }
  return strides;
}
}  // namespace detail

}  // namespace at
