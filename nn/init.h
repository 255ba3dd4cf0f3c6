#pragma once

#include <cstdint>
#include <tuple>

#include <tern/core/tensor/tensor.h>

// Initial values of parameters. Each function fills its tensor in place, without autograd history,
// and returns it. The numbers are PyTorch's for the same seed on the CPU.

namespace tern {

namespace nn::init {

/// The function that follows a layer. It determines the gain of the layer's weights.
enum class NonlinearityType : std::uint8_t {
  Linear,
  Conv1D,
  Conv2D,
  Conv3D,
  ConvTranspose1D,
  ConvTranspose2D,
  ConvTranspose3D,
  Sigmoid,
  Tanh,
  ReLU,
  LeakyReLU,
  SELU,
};

/// The variance that is preserved: of the activations (FanIn) or of the gradients (FanOut).
enum class FanModeType : std::uint8_t { FanIn, FanOut };

}  // namespace nn::init

/// Short names of NonlinearityType and FanModeType, as in libtorch.
constexpr auto kLinear = nn::init::NonlinearityType::Linear;
constexpr auto kConv1D = nn::init::NonlinearityType::Conv1D;
constexpr auto kConv2D = nn::init::NonlinearityType::Conv2D;
constexpr auto kConv3D = nn::init::NonlinearityType::Conv3D;
constexpr auto kConvTranspose1D = nn::init::NonlinearityType::ConvTranspose1D;
constexpr auto kConvTranspose2D = nn::init::NonlinearityType::ConvTranspose2D;
constexpr auto kConvTranspose3D = nn::init::NonlinearityType::ConvTranspose3D;
constexpr auto kSigmoid = nn::init::NonlinearityType::Sigmoid;
constexpr auto kTanh = nn::init::NonlinearityType::Tanh;
constexpr auto kReLU = nn::init::NonlinearityType::ReLU;
constexpr auto kLeakyReLU = nn::init::NonlinearityType::LeakyReLU;
constexpr auto kSELU = nn::init::NonlinearityType::SELU;
constexpr auto kFanIn = nn::init::FanModeType::FanIn;
constexpr auto kFanOut = nn::init::FanModeType::FanOut;

namespace nn::init {

/// Returns the recommended gain: 1 for linear layers, convolutions and sigmoid, 5/3 for tanh,
/// sqrt(2) for relu, sqrt(2 / (1 + param^2)) for leaky_relu with slope `param`, 3/4 for selu.
TERN_API double calculate_gain(NonlinearityType nonlinearity, double param = 0.01);

/// Fills the tensor with `value`, without autograd history, and returns it.
TERN_API Tensor constant_(Tensor tensor, const Scalar& value);
/// Fills the tensor with ones and returns it.
TERN_API Tensor ones_(Tensor tensor);
/// Fills the tensor with zeros and returns it.
TERN_API Tensor zeros_(Tensor tensor);
/// Makes the matrix the identity and returns it. Throws ShapeError unless the tensor has 2
/// dimensions.
TERN_API Tensor eye_(Tensor matrix);
/// Fills convolution weights so that channels pass unchanged: 1 at the centre of filter [i, i],
/// else 0, in each of `groups` groups. Throws ShapeError unless the tensor has 3, 4 or 5
/// dimensions, and when `groups` does not divide size(0).
TERN_API Tensor dirac_(Tensor tensor, StrictInt groups = 1);
/// Fills with uniform numbers in [low, high) and returns the tensor.
TERN_API Tensor uniform_(Tensor tensor, double low = 0, double high = 1);
/// Fills with normal numbers and returns the tensor.
TERN_API Tensor normal_(Tensor tensor, double mean = 0, double std = 1);
/// Fills with normal numbers of the interval [a, b] and returns the tensor: numbers outside are
/// drawn anew. Throws Error unless std > 0 and a <= b.
TERN_API Tensor trunc_normal_(Tensor tensor, double mean = 0, double std = 1, double a = -2,
                              double b = 2);
/// Fills with a matrix of orthonormal rows or columns, times `gain` (Saxe et al., 2013), and
/// returns the tensor; dimensions from the second on are one. Throws ShapeError below 2 dimensions.
TERN_API Tensor orthogonal_(Tensor tensor, double gain = 1);
/// Fills a matrix with normal numbers and sets the share `sparsity` of each column to 0. Throws
/// ShapeError unless the tensor has 2 dimensions.
TERN_API Tensor sparse_(Tensor tensor, double sparsity, double std = 0.01);

/// Fills with uniform numbers of standard deviation gain * sqrt(2 / (fan_in + fan_out)) (Glorot and
/// Bengio, 2010) and returns the tensor. Throws ShapeError below 2 dimensions.
TERN_API Tensor xavier_uniform_(Tensor tensor, double gain = 1.0);
/// Fills with normal numbers of standard deviation gain * sqrt(2 / (fan_in + fan_out)) (Glorot and
/// Bengio, 2010) and returns the tensor. Throws ShapeError below 2 dimensions.
TERN_API Tensor xavier_normal_(Tensor tensor, double gain = 1.0);
/// Fills with uniform numbers of standard deviation calculate_gain(nonlinearity, a) / sqrt(fan) (He
/// et al., 2015) and returns the tensor. `mode` chooses fan_in or fan_out; `a` is the slope of
/// leaky_relu. Throws ShapeError below 2 dimensions.
TERN_API Tensor kaiming_uniform_(Tensor tensor, double a = 0, FanModeType mode = kFanIn,
                                 NonlinearityType nonlinearity = kLeakyReLU);
/// Fills with normal numbers of standard deviation calculate_gain(nonlinearity, a) / sqrt(fan) (He
/// et al., 2015) and returns the tensor. `mode` chooses fan_in or fan_out; `a` is the slope of
/// leaky_relu. Throws ShapeError below 2 dimensions.
TERN_API Tensor kaiming_normal_(Tensor tensor, double a = 0, FanModeType mode = kFanIn,
                                NonlinearityType nonlinearity = kLeakyReLU);

/// Returns fan_in = size(1) and fan_out = size(0), each times the product of the other sizes.
/// Throws ShapeError below 2 dimensions.
TERN_API std::tuple<std::int64_t, std::int64_t> _calculate_fan_in_and_fan_out(const Tensor& tensor);

}  // namespace nn::init
}  // namespace tern
