#pragma once

#include <tern/core/ops/elementwise/binary.h>
#include <tern/core/ops/elementwise/special.h>
#include <tern/core/ops/elementwise/unary.h>
#include <tern/core/ops/generated/forms.h>
#include <tern/core/ops/nn/softmax.h>
#include <tern/core/ops/reduce/sums.h>

/// The names of libtorch's `torch::special`: functions of namespace tern, here those whose name
/// there does not begin with special_.
namespace tern::special {

using tern::digamma;
using tern::digamma_out;
using tern::erf;
using tern::erf_out;
using tern::erfc;
using tern::erfc_out;
using tern::erfinv;
using tern::erfinv_out;
using tern::exp2;
using tern::exp2_out;
using tern::expm1;
using tern::expm1_out;
using tern::i0;
using tern::i0_out;
using tern::log1p;
using tern::log1p_out;
using tern::log_softmax;
using tern::logit;
using tern::logit_out;
using tern::logsumexp;
using tern::logsumexp_out;
using tern::polygamma;
using tern::polygamma_out;
using tern::round;
using tern::round_out;
using tern::sinc;
using tern::sinc_out;
using tern::softmax;
using tern::xlogy;
using tern::xlogy_out;

/// Returns 1 / (1 + e^-x), as sigmoid().
inline Tensor expit(Tensor self) { return sigmoid(std::move(self)); }
/// Writes the result of expit() to `out`, as sigmoid_out().
inline Tensor& expit_out(Tensor& out, Tensor self) { return sigmoid_out(out, std::move(self)); }
/// Returns the regularized lower incomplete gamma function, as igamma().
inline Tensor gammainc(const Tensor& self, const Tensor& other) { return igamma(self, other); }
/// Writes the result of gammainc() to `out`, as igamma_out().
inline Tensor& gammainc_out(Tensor& out, const Tensor& self, const Tensor& other) {
  return igamma_out(out, self, other);
}
/// Returns the regularized upper incomplete gamma function, as igammac().
inline Tensor gammaincc(const Tensor& self, const Tensor& other) { return igammac(self, other); }
/// Writes the result of gammaincc() to `out`, as igammac_out().
inline Tensor& gammaincc_out(Tensor& out, const Tensor& self, const Tensor& other) {
  return igammac_out(out, self, other);
}
/// Returns the logarithm of the absolute value of the gamma function, as lgamma().
inline Tensor gammaln(Tensor self) { return lgamma(std::move(self)); }
/// Writes the result of gammaln() to `out`, as lgamma_out().
inline Tensor& gammaln_out(Tensor& out, Tensor self) { return lgamma_out(out, std::move(self)); }
/// Returns the multivariate log-gamma function, as mvlgamma().
inline Tensor multigammaln(const Tensor& self, std::int64_t p) { return mvlgamma(self, p); }
/// Writes the result of multigammaln() to `out`, as mvlgamma_out().
inline Tensor& multigammaln_out(Tensor& out, const Tensor& self, std::int64_t p) {
  return mvlgamma_out(out, self, p);
}
/// Returns the derivative of lgamma(), as digamma().
inline Tensor psi(Tensor self) { return digamma(std::move(self)); }
/// Writes the result of psi() to `out`, as digamma_out().
inline Tensor& psi_out(Tensor& out, Tensor self) { return digamma_out(out, std::move(self)); }

}  // namespace tern::special
