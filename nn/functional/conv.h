#pragma once

#include <tern/core/tensor/tensor.h>
#include <tern/nn/options/conv.h>

namespace tern::nn::functional {

/// Convolves a sequence; see tern::conv1d().
TERN_API Tensor conv1d(const Tensor& input, const Tensor& weight,
                       const Conv1dFuncOptions& options = {});
/// Convolves images; see tern::conv2d().
TERN_API Tensor conv2d(const Tensor& input, const Tensor& weight,
                       const Conv2dFuncOptions& options = {});
/// Convolves volumes; see tern::conv3d().
TERN_API Tensor conv3d(const Tensor& input, const Tensor& weight,
                       const Conv3dFuncOptions& options = {});
/// Computes the transposed convolution of a sequence; see tern::conv_transpose1d().
TERN_API Tensor conv_transpose1d(const Tensor& input, const Tensor& weight,
                                 const ConvTranspose1dFuncOptions& options = {});
/// Computes the transposed convolution of images; see tern::conv_transpose2d().
TERN_API Tensor conv_transpose2d(const Tensor& input, const Tensor& weight,
                                 const ConvTranspose2dFuncOptions& options = {});
/// Computes the transposed convolution of volumes; see tern::conv_transpose3d().
TERN_API Tensor conv_transpose3d(const Tensor& input, const Tensor& weight,
                                 const ConvTranspose3dFuncOptions& options = {});

}  // namespace tern::nn::functional
