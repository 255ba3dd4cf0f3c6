#pragma once

#include <tern/core/tensor/tensor.h>

// Variances and standard deviations; see sums.h for `dim` and `keepdim`.

namespace tern {

/// Returns the variance of all elements, or over the dimensions `dim` (see sum()). Divides by N - 1
/// when unbiased, by N otherwise, and by max(N - correction, 0) when a correction is given.
/// Floating dtypes.
///
/// A bool as second argument is `unbiased`, an integer is a dimension: `var(x, false)`, `var(x,
/// 0)`. As third argument a bool is `unbiased`, a number is `correction`.
TERN_API Tensor var(const Tensor& self);
TERN_API Tensor var(const Tensor& self, IntArrayRef dim, StrictBool unbiased = true,
                    StrictBool keepdim = false);
TERN_API Tensor var(const Tensor& self, IntArrayRef dim, StrictNumber correction,
                    StrictBool keepdim = false);
template <class Bool>
requires std::is_same_v<Bool, bool> Tensor var(const Tensor& self, Bool unbiased) {
  return var(self, IntArrayRef(), unbiased);
}
/// Returns the standard deviation, the square root of var(), with the same arguments.
TERN_API Tensor std(const Tensor& self);
TERN_API Tensor std(const Tensor& self, IntArrayRef dim, StrictBool unbiased = true,
                    StrictBool keepdim = false);
TERN_API Tensor std(const Tensor& self, IntArrayRef dim, StrictNumber correction,
                    StrictBool keepdim = false);
template <class Bool>
requires std::is_same_v<Bool, bool> Tensor std(const Tensor& self, Bool unbiased) {
  return std(self, IntArrayRef(), unbiased);
}
/// Returns the variance and the mean, with the arguments of var().
TERN_API std::tuple<Tensor, Tensor> var_mean(const Tensor& input);
TERN_API std::tuple<Tensor, Tensor> var_mean(const Tensor& input, IntArrayRef dim,
                                             StrictBool unbiased = true,
                                             StrictBool keepdim = false);
TERN_API std::tuple<Tensor, Tensor> var_mean(const Tensor& input, IntArrayRef dim,
                                             StrictNumber correction, StrictBool keepdim = false);
template <class Bool>
requires std::is_same_v<Bool, bool> std::tuple<Tensor, Tensor> var_mean(const Tensor& input,
                                                                        Bool unbiased) {
  return var_mean(input, IntArrayRef(), unbiased);
}
/// Returns the standard deviation and the mean, with the arguments of var().
TERN_API std::tuple<Tensor, Tensor> std_mean(const Tensor& input);
TERN_API std::tuple<Tensor, Tensor> std_mean(const Tensor& input, IntArrayRef dim,
                                             StrictBool unbiased = true,
                                             StrictBool keepdim = false);
TERN_API std::tuple<Tensor, Tensor> std_mean(const Tensor& input, IntArrayRef dim,
                                             StrictNumber correction, StrictBool keepdim = false);
template <class Bool>
requires std::is_same_v<Bool, bool> std::tuple<Tensor, Tensor> std_mean(const Tensor& input,
                                                                        Bool unbiased) {
  return std_mean(input, IntArrayRef(), unbiased);
}

}  // namespace tern
