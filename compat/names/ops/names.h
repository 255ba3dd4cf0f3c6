#pragma once

// Functions of libtorch that have another name in tern.

#include <cstdint>
#include <optional>
#include <string_view>

#include <tern/compat/names/at.h>
#include <tern/nn/utils/rnn.h>

namespace at {

// torch.special: the functions of tern::special under their names in ATen.
/// Returns tern::digamma().
inline Tensor special_digamma(const Tensor& self) { return ::tern::digamma(self); }
/// Returns tern::erf().
inline Tensor special_erf(const Tensor& self) { return ::tern::erf(self); }
/// Returns tern::erfc().
inline Tensor special_erfc(const Tensor& self) { return ::tern::erfc(self); }
/// Returns tern::erfinv().
inline Tensor special_erfinv(const Tensor& self) { return ::tern::erfinv(self); }
/// Returns tern::exp2().
inline Tensor special_exp2(const Tensor& self) { return ::tern::exp2(self); }
/// Returns tern::sigmoid().
inline Tensor special_expit(const Tensor& self) { return ::tern::sigmoid(self); }
/// Returns tern::expm1().
inline Tensor special_expm1(const Tensor& self) { return ::tern::expm1(self); }
/// Returns tern::lgamma().
inline Tensor special_gammaln(const Tensor& self) { return ::tern::lgamma(self); }
/// Returns tern::igamma().
inline Tensor special_gammainc(const Tensor& self, const Tensor& other) {
  return ::tern::igamma(self, other);
}
/// Returns tern::igammac().
inline Tensor special_gammaincc(const Tensor& self, const Tensor& other) {
  return ::tern::igammac(self, other);
}
/// Returns tern::i0().
inline Tensor special_i0(const Tensor& self) { return ::tern::i0(self); }
/// Returns tern::log1p().
inline Tensor special_log1p(const Tensor& self) { return ::tern::log1p(self); }
/// Returns tern::digamma().
inline Tensor special_psi(const Tensor& self) { return ::tern::digamma(self); }
/// Returns tern::sinc().
inline Tensor special_sinc(const Tensor& self) { return ::tern::sinc(self); }
/// Returns tern::log_softmax().
inline Tensor special_log_softmax(const Tensor& self, std::int64_t dim,
                                  std::optional<ScalarType> dtype = std::nullopt) {
  return ::tern::log_softmax(self, dim, dtype);
}
/// Returns tern::softmax().
inline Tensor special_softmax(const Tensor& self, std::int64_t dim,
                              std::optional<ScalarType> dtype = std::nullopt) {
  return ::tern::softmax(self, dim, dtype);
}
/// Returns tern::logit().
inline Tensor special_logit(const Tensor& self, std::optional<double> eps = std::nullopt) {
  return ::tern::logit(self, eps);
}
/// Returns tern::logsumexp().
inline Tensor special_logsumexp(const Tensor& self, IntArrayRef dim, bool keepdim = false) {
  return ::tern::logsumexp(self, dim, keepdim);
}
/// Returns tern::mvlgamma().
inline Tensor special_multigammaln(const Tensor& self, std::int64_t p) {
  return ::tern::mvlgamma(self, p);
}
/// Returns tern::polygamma().
inline Tensor special_polygamma(std::int64_t n, const Tensor& self) {
  return ::tern::polygamma(n, self);
}
/// Returns tern::round().
inline Tensor special_round(const Tensor& self, std::int64_t decimals = 0) {
  return ::tern::round(self, decimals);
}
/// Returns tern::xlogy().
inline Tensor special_xlogy(const Tensor& self, const Tensor& other) {
  return ::tern::xlogy(self, other);
}
/// Returns tern::xlogy().
inline Tensor special_xlogy(const Tensor& self, const Scalar& other) {
  return ::tern::xlogy(self, other);
}
/// Returns tern::xlogy().
inline Tensor special_xlogy(const Scalar& self, const Tensor& other) {
  return ::tern::xlogy(self, other);
}

// Former names, and those of single cases.
/// Returns Tensor::mT().
inline Tensor adjoint(const Tensor& self) { return self.mT(); }
/// Returns tern::matmul().
inline Tensor linalg_matmul(const Tensor& self, const Tensor& other) {
  return ::tern::matmul(self, other);
}
/// Returns tern::diagonal().
inline Tensor linalg_diagonal(const Tensor& A, std::int64_t offset = 0, std::int64_t dim1 = -2,
                              std::int64_t dim2 = -1) {
  return ::tern::diagonal(A, offset, dim1, dim2);
}
/// Returns tern::linalg_multi_dot().
inline Tensor chain_matmul(TensorList matrices) { return ::tern::linalg_multi_dot(matrices); }
/// Returns Tensor::norm().
inline Tensor frobenius_norm(const Tensor& self, IntArrayRef dim, bool keepdim = false) {
  return self.norm(2, dim, keepdim);
}
/// Returns tern::linalg_matrix_norm().
inline Tensor nuclear_norm(const Tensor& self, IntArrayRef dim, bool keepdim = false) {
  return ::tern::linalg_matrix_norm(self, "nuc", dim, keepdim);
}
/// Returns nuclear_norm().
inline Tensor nuclear_norm(const Tensor& self, bool keepdim = false) {
  return nuclear_norm(self, IntArrayRef{0, 1}, keepdim);
}
/// Returns Tensor::is_inference().
inline bool is_inference(const Tensor& self) { return self.is_inference(); }
/// Returns tern::pad().
inline Tensor reflection_pad1d(const Tensor& self, IntArrayRef padding) {
  return ::tern::pad(self, padding, "reflect");
}
/// Returns tern::pad().
inline Tensor reflection_pad2d(const Tensor& self, IntArrayRef padding) {
  return ::tern::pad(self, padding, "reflect");
}
/// Returns tern::pad().
inline Tensor reflection_pad3d(const Tensor& self, IntArrayRef padding) {
  return ::tern::pad(self, padding, "reflect");
}
/// Returns tern::pad().
inline Tensor replication_pad1d(const Tensor& self, IntArrayRef padding) {
  return ::tern::pad(self, padding, "replicate");
}
/// Returns tern::pad().
inline Tensor replication_pad2d(const Tensor& self, IntArrayRef padding) {
  return ::tern::pad(self, padding, "replicate");
}
/// Returns tern::pad().
inline Tensor replication_pad3d(const Tensor& self, IntArrayRef padding) {
  return ::tern::pad(self, padding, "replicate");
}
/// Returns tern::nll_loss().
inline Tensor nll_loss2d(const Tensor& self, const Tensor& target, const Tensor& weight,
                         std::int64_t reduction, std::int64_t ignore_index = -100) {
  return ::tern::nll_loss(self, target, weight, compat::reduction_of(reduction), ignore_index);
}
/// Returns tern::nll_loss().
inline Tensor nll_loss2d(const Tensor& self, const Tensor& target, const Tensor& weight = {},
                         ::tern::Reduction reduction = ::tern::Reduction::Mean,
                         std::int64_t ignore_index = -100) {
  return ::tern::nll_loss(self, target, weight, reduction, ignore_index);
}
/// Returns tern::nll_loss().
inline Tensor nll_loss_nd(const Tensor& self, const Tensor& target, const Tensor& weight,
                          std::int64_t reduction, std::int64_t ignore_index = -100) {
  return ::tern::nll_loss(self, target, weight, compat::reduction_of(reduction), ignore_index);
}
/// Returns tern::nll_loss().
inline Tensor nll_loss_nd(const Tensor& self, const Tensor& target, const Tensor& weight = {},
                          ::tern::Reduction reduction = ::tern::Reduction::Mean,
                          std::int64_t ignore_index = -100) {
  return ::tern::nll_loss(self, target, weight, reduction, ignore_index);
}
/// Returns tern::linalg_lu_solve().
inline Tensor lu_solve(const Tensor& self, const Tensor& LU_data, const Tensor& LU_pivots) {
  return ::tern::linalg_lu_solve(LU_data, LU_pivots, self);
}
/// Returns tern::nn::utils::rnn::pad_sequence().
inline Tensor pad_sequence(TensorList sequences, bool batch_first = false,
                           double padding_value = 0.0, std::string_view padding_side = "right") {
  return ::tern::nn::utils::rnn::pad_sequence(sequences, batch_first, padding_value, padding_side);
}

/// Returns the convolution of as many dimensions as the weight has behind its first two.
inline Tensor convolution(const Tensor& input, const Tensor& weight, const Tensor& bias,
                          IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                          bool transposed, IntArrayRef output_padding, std::int64_t groups) {
  const std::int64_t dims = weight.dim() - 2;
  TERN_CHECK(dims >= 1 && dims <= 3, ::tern::ShapeError,
             "convolution() needs a weight of 3 to 5 dimensions, got sizes ", weight.sizes());
  if (transposed) {
    const auto run = dims == 1   ? ::tern::conv_transpose1d
                     : dims == 2 ? ::tern::conv_transpose2d
                                 : ::tern::conv_transpose3d;
    return run(input, weight, bias, stride, padding, output_padding, groups, dilation);
  }
  if (dims == 1) return ::tern::conv1d(input, weight, bias, stride, padding, dilation, groups);
  if (dims == 2) return ::tern::conv2d(input, weight, bias, stride, padding, dilation, groups);
  return ::tern::conv3d(input, weight, bias, stride, padding, dilation, groups);
}

}  // namespace at
