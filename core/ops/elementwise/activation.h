#pragma once

#include <string_view>

#include <tern/core/tensor/tensor.h>

// Activations: elementwise ops of a tensor x. They throw NotImplementedError for dtypes that are
// not floating point, unless the comment says that they take integers.

namespace tern {

/// Returns log(1 + e^(beta x)) / beta, a smooth relu(); x itself where beta x is above `threshold`,
/// where both agree. Throws NotImplementedError unless the dtype is floating point.
TERN_API Tensor softplus(const Tensor& input, const Scalar& beta = 1, const Scalar& threshold = 20);
/// Returns x where x > threshold, else `value`. Takes integers too.
TERN_API Tensor threshold(const Tensor& input, const Scalar& threshold, const Scalar& value);
TERN_API Tensor& threshold_(Tensor& input, const Scalar& threshold, const Scalar& value);
/// Limits x to [min_val, max_val]. The gradient is 0 at and beyond a bound. Takes integers too.
/// Throws ValueError when min_val > max_val.
TERN_API Tensor hardtanh(const Tensor& input, const Scalar& min_val = -1,
                         const Scalar& max_val = 1);
TERN_API Tensor& hardtanh_(Tensor& input, const Scalar& min_val = -1, const Scalar& max_val = 1);
/// Limits x to [0, 6]. Takes integers too.
TERN_API Tensor relu6(const Tensor& input);
TERN_API Tensor& relu6_(Tensor& input);
/// Returns relu6(x + 3) / 6.
TERN_API Tensor hardsigmoid(const Tensor& input);
TERN_API Tensor& hardsigmoid_(Tensor& input);
/// Returns x * relu6(x + 3) / 6.
TERN_API Tensor hardswish(const Tensor& input);
TERN_API Tensor& hardswish_(Tensor& input);
/// Returns 0 where |x| <= lambd, else x.
TERN_API Tensor hardshrink(const Tensor& self, const Scalar& lambd = 0.5);
/// Returns x moved towards 0 by lambd, and 0 where |x| <= lambd. Throws Error for a negative lambd.
TERN_API Tensor softshrink(const Tensor& input, const Scalar& lambd = 0.5);
/// Returns x where x > 0, else negative_slope * x.
TERN_API Tensor leaky_relu(const Tensor& input, const Scalar& negative_slope = 0.01);
TERN_API Tensor& leaky_relu_(Tensor& input, const Scalar& negative_slope = 0.01);
/// Returns scale * x where x > 0, else scale * alpha * (e^(input_scale x) - 1).
TERN_API Tensor elu(const Tensor& input, const Scalar& alpha = 1, const Scalar& scale = 1,
                    const Scalar& input_scale = 1);
TERN_API Tensor& elu_(Tensor& input, const Scalar& alpha = 1, const Scalar& scale = 1,
                      const Scalar& input_scale = 1);
/// Returns elu() with the constants of self-normalising networks: alpha = 1.6732632423543772 and
/// scale = 1.0507009873554805.
TERN_API Tensor selu(const Tensor& input);
TERN_API Tensor& selu_(Tensor& input);
/// Returns x where x > 0, else alpha * (e^(x / alpha) - 1). Throws Error for alpha = 0.
TERN_API Tensor celu(const Tensor& input, const Scalar& alpha = 1);
TERN_API Tensor& celu_(Tensor& input, const Scalar& alpha = 1);
/// Returns x * sigmoid(x).
TERN_API Tensor silu(const Tensor& input);
TERN_API Tensor& silu_(Tensor& input);
/// Returns x * tanh(softplus(x)).
TERN_API Tensor mish(const Tensor& input);
TERN_API Tensor& mish_(Tensor& input);
/// Returns x * P(X <= x) for a standard normal X. `approximate` is "none", or "tanh" for
/// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))). Throws Error for other texts.
TERN_API Tensor gelu(const Tensor& input, std::string_view approximate = "none");
TERN_API Tensor& gelu_(Tensor& input, std::string_view approximate = "none");
/// Returns log(sigmoid(x)), accurate for every x.
TERN_API Tensor log_sigmoid(const Tensor& input);

}  // namespace tern
