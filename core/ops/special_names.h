#pragma once

#include <tern/core/ops/elementwise.h>
#include <tern/core/ops/reduce.h>
#include <tern/core/ops/special.h>
#include <tern/core/ops/unary.h>

/// The names of libtorch's `torch::special`. Each function is the one of this name in namespace
/// tern, if its comment names no other.
namespace tern::special {

using tern::digamma;
using tern::erf;
using tern::erfc;
using tern::erfinv;
using tern::exp2;
using tern::expm1;
using tern::log1p;
using tern::log_softmax;
using tern::logit;
using tern::logsumexp;
using tern::polygamma;
using tern::round;
using tern::sinc;
using tern::softmax;
using tern::xlogy;

/// Returns 1 / (1 + e^-x), as sigmoid().
inline Tensor expit(Tensor self) { return sigmoid(std::move(self)); }
/// Returns the logarithm of the absolute value of the gamma function, as lgamma().
inline Tensor gammaln(Tensor self) { return lgamma(std::move(self)); }
/// Returns the multivariate log-gamma function, as mvlgamma().
inline Tensor multigammaln(const Tensor& self, std::int64_t p) { return mvlgamma(self, p); }
/// Returns the derivative of lgamma(), as digamma().
inline Tensor psi(Tensor self) { return digamma(std::move(self)); }

}  // namespace tern::special
