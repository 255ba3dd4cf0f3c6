#pragma once

// Other forms of ops that only programs of libtorch use.

#include <concepts>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <tern/compat/names/at.h>

namespace tern::compat {

/// Satisfied by Wanted alone, not by what converts to it: so an overload for it makes no other call
/// ambiguous.
template <class T, class Wanted>
concept Exactly = std::same_as<T, Wanted>;

/// Returns tern's linalg_matrix_rank() with tolerances that are tensors, one number for each
/// matrix; an undefined one has its default.
TERN_API Tensor matrix_rank(const Tensor& input, const Tensor& atol, const Tensor& rtol,
                            bool hermitian);
/// Returns tern's linalg_pinv() with such tolerances.
TERN_API Tensor pinv(const Tensor& self, const Tensor& atol, const Tensor& rtol, bool hermitian);

}  // namespace tern::compat

namespace at {
namespace compat = ::tern::compat;

/// Returns tern's softmax(), with the parameters that programs name to take its address.
inline Tensor softmax(const Tensor& self, std::int64_t dim,
                      std::optional<ScalarType> dtype = std::nullopt) {
  return ::tern::softmax(self, dim, dtype);
}
/// Returns tern's log_softmax().
inline Tensor log_softmax(const Tensor& self, std::int64_t dim,
                          std::optional<ScalarType> dtype = std::nullopt) {
  return ::tern::log_softmax(self, dim, dtype);
}
/// Returns 1 with the probabilities `p`, else 0, with the sizes and dtype of `self`.
inline Tensor bernoulli(const Tensor& self, const Tensor& p,
                        std::optional<Generator> generator = std::nullopt) {
  return ::tern::empty(self.sizes(), self.options()).bernoulli_(p, std::move(generator));
}
/// Returns tern's repeat_interleave(); `output_size` must be the sum of the repeats.
template <compat::Exactly<std::optional<std::int64_t>> Size>
Tensor repeat_interleave(const Tensor& repeats, const Size& output_size) {
  Tensor out = ::tern::repeat_interleave(repeats);
  TERN_CHECK(output_size.value_or(out.numel()) == out.numel(), ::tern::Error, "allocated size ",
             *output_size, " does not match the sum of repeats ", out.numel());
  return out;
}
/// Returns tern's gradient() with the default spacing if there is none, or along `dim` alone.
template <compat::Exactly<std::optional<Scalar>> Spacing>
std::vector<Tensor> gradient(const Tensor& self, const Spacing& spacing, IntArrayRef dim = {},
                             std::int64_t edge_order = 1) {
  return ::tern::gradient(self, spacing.value_or(1), dim, edge_order);
}
template <compat::Exactly<IntArrayRef> Dims>
std::vector<Tensor> gradient(const Tensor& self, const Dims& dim, std::int64_t edge_order = 1) {
  return ::tern::gradient(self, 1, dim, edge_order);
}
/// Return tern's linalg_matrix_rank() and linalg_pinv() with tolerances that are tensors, one
/// number for each matrix.
template <compat::Exactly<std::optional<Tensor>> Tolerance>
Tensor linalg_matrix_rank(const Tensor& input, const Tolerance& atol,
                          const std::optional<Tensor>& rtol = std::nullopt,
                          bool hermitian = false) {
  return compat::matrix_rank(input, atol, rtol, hermitian);
}
inline Tensor linalg_matrix_rank(const Tensor& input, const Tensor& tol, bool hermitian = false) {
  return compat::matrix_rank(input, tol, ::tern::zeros_like(tol), hermitian);
}
template <compat::Exactly<std::optional<Tensor>> Tolerance>
Tensor linalg_pinv(const Tensor& self, const Tolerance& atol,
                   const std::optional<Tensor>& rtol = std::nullopt, bool hermitian = false) {
  return compat::pinv(self, atol, rtol, hermitian);
}
inline Tensor linalg_pinv(const Tensor& self, const Tensor& rcond, bool hermitian = false) {
  return compat::pinv(self, ::tern::zeros_like(rcond), rcond, hermitian);
}
/// Do the same as the functions for handles that are not constant.
inline const Tensor& as_strided_(const Tensor& self, IntArrayRef size, IntArrayRef stride,
                                 std::optional<std::int64_t> storage_offset = std::nullopt) {
  return storage_offset ? self.as_strided_(size, stride, *storage_offset)
                        : self.as_strided_(size, stride);
}
inline const Tensor& resize_as_(const Tensor& self, const Tensor& the_template,
                                std::optional<MemoryFormat> memory_format = std::nullopt) {
  return self.resize_as_(the_template, memory_format);
}
// Corrections that may be absent: 1 then.
template <compat::Exactly<std::optional<Scalar>> Correction>
Tensor var(const Tensor& self, IntArrayRef dim, const Correction& correction,
           bool keepdim = false) {
  return ::tern::var(self, dim, correction ? correction->toDouble() : 1.0, keepdim);
}
template <compat::Exactly<std::optional<Scalar>> Correction>
Tensor std(const Tensor& self, IntArrayRef dim, const Correction& correction,
           bool keepdim = false) {
  return ::tern::std(self, dim, correction ? correction->toDouble() : 1.0, keepdim);
}
template <compat::Exactly<std::optional<Scalar>> Correction>
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, IntArrayRef dim,
                                    const Correction& correction, bool keepdim = false) {
  return ::tern::var_mean(self, dim, correction ? correction->toDouble() : 1.0, keepdim);
}
template <compat::Exactly<std::optional<Scalar>> Correction>
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, IntArrayRef dim,
                                    const Correction& correction, bool keepdim = false) {
  return ::tern::std_mean(self, dim, correction ? correction->toDouble() : 1.0, keepdim);
}

}  // namespace at
