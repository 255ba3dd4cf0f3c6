#pragma once

#include <tern/core/kernels/families/convolution.h>
#include <tern/core/tensor/tensor.h>

// The three functions that convolutions and their gradients of every order are made of.

namespace tern::detail {

/// The numbers of a convolution, and the sizes and the memory format of the three tensors that it
/// relates. `numbers` has everything but pointers, op and dtype.
struct ConvolutionSizes {
  kernels::ConvolutionArgs numbers;
  DimVector input, weight, output;
  MemoryFormat format;
};

/// Returns the convolution of the input, plus the bias unless it is undefined. Recorded.
Tensor convolve(const char* node, const ConvolutionSizes& sizes, const Tensor& input,
                const Tensor& weight, const Tensor& bias);
/// Returns the gradient of the input, plus the bias unless it is undefined. Recorded.
Tensor convolve_transposed(const char* node, const ConvolutionSizes& sizes, const Tensor& gradient,
                           const Tensor& weight, const Tensor& bias);
/// Returns the gradient of the weight. Recorded.
Tensor convolve_for_weight(const ConvolutionSizes& sizes, const Tensor& input,
                           const Tensor& gradient);

}  // namespace tern::detail
