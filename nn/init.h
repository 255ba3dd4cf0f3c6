#pragma once

#include <cstdint>
#include <tuple>

#include <tern/core/tensor/tensor.h>

// How parameters start. Each function fills its tensor in place, without history, and returns it.
// The numbers are PyTorch's for the same seed on the CPU.

namespace tern {

namespace nn::init {

/// What follows a layer; it decides the gain of its weights.
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

/// Which variance stays equal: that of the activations (FanIn) or of the gradients (FanOut).
enum class FanModeType : std::uint8_t { FanIn, FanOut };

}  // namespace nn::init

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

/// 1 for linear layers and sigmoid, 5/3 for tanh, sqrt(2) for relu, sqrt(2 / (1 + param^2)) for
/// leaky_relu with slope `param`, 3/4 for selu.
TERN_API double calculate_gain(NonlinearityType nonlinearity, double param = 0.01);

TERN_API Tensor constant_(Tensor tensor, const Scalar& value);
TERN_API Tensor ones_(Tensor tensor);
TERN_API Tensor zeros_(Tensor tensor);
/// The identity. Throws ShapeError unless the tensor is a matrix.
TERN_API Tensor eye_(Tensor matrix);
/// Keeps channels as they are through a convolution: 1 at the centre of filter [i, i], else 0.
/// Throws ShapeError unless the tensor has 3, 4 or 5 dimensions.
TERN_API Tensor dirac_(Tensor tensor, std::int64_t groups = 1);
/// Uniform in [low, high).
TERN_API Tensor uniform_(Tensor tensor, double low = 0, double high = 1);
TERN_API Tensor normal_(Tensor tensor, double mean = 0, double std = 1);
/// Normal, with a share `sparsity` of each column set to zero. Throws ShapeError unless the tensor
/// is a matrix.
TERN_API Tensor sparse_(Tensor tensor, double sparsity, double std = 0.01);

/// Uniform or normal with standard deviation gain * sqrt(2 / (fan_in + fan_out)).
TERN_API Tensor xavier_uniform_(Tensor tensor, double gain = 1.0);
TERN_API Tensor xavier_normal_(Tensor tensor, double gain = 1.0);
/// Uniform or normal with standard deviation gain(nonlinearity, a) / sqrt(fan).
TERN_API Tensor kaiming_uniform_(Tensor tensor, double a = 0, FanModeType mode = kFanIn,
                                 NonlinearityType nonlinearity = kLeakyReLU);
TERN_API Tensor kaiming_normal_(Tensor tensor, double a = 0, FanModeType mode = kFanIn,
                                NonlinearityType nonlinearity = kLeakyReLU);

/// (size(1), size(0)), each times the receptive field. Throws ShapeError below 2 dimensions.
TERN_API std::tuple<std::int64_t, std::int64_t> _calculate_fan_in_and_fan_out(const Tensor& tensor);

}  // namespace nn::init
}  // namespace tern
