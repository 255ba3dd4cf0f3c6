#pragma once

#include <tern/core/kernels/families/convolution.h>
#include <tern/core/tensor/tensor.h>

namespace tern {
class PaddingName;
}

namespace tern::detail {

/// A convolution or transposed convolution: the arguments of its kernel, read once from those of
/// the op, and the sizes of the tensors. With `transposed`, x is the result and y the input: the
/// kernel computes the gradient of the input of a convolution from y to x.
struct Convolution {
  const char* name;  // of the op
  std::size_t dims;  // of the kernel: 1, 2 or 3
  bool keeps_extents = false, transposed = false;
  kernels::ConvolutionArgs args{};  // without op, dtype and pointers
  std::int64_t output_padding[3] = {0, 0, 0};
  DimVector x, weight, y;  // sizes, named as in ConvolutionArgs
  MemoryFormat format = MemoryFormat::Contiguous;

  /// Reads lists of one number for all dimensions or one for each. Throws ShapeError for others.
  Convolution(const char* name_, std::size_t dims_, IntArrayRef stride, IntArrayRef padding,
              IntArrayRef dilation, std::int64_t groups);
  /// Throws Error unless the padding is "valid" or "same".
  Convolution(const char* name_, std::size_t dims_, IntArrayRef stride, const PaddingName& padding,
              IntArrayRef dilation, std::int64_t groups);
  /// Makes the convolution a transposed one.
  Convolution& transpose(IntArrayRef padding_of_output);

  /// Throws unless the tensors fit each other and the numbers are possible. The input may lack the
  /// batch dimension.
  void check(const Tensor& input, const Tensor& w, const Tensor& bias) const;
  /// Sets the sizes, for an input with a batch dimension. Throws unless they fit.
  void set_sizes(const Tensor& input, const Tensor& w, const Tensor& bias);

  /// Returns the numbers of the dimensions of the kernel.
  IntArrayRef last(const std::int64_t (&list)[3]) const { return {list + 3 - dims, dims}; }
  std::int64_t* last(std::int64_t (&list)[3]) const { return list + 3 - dims; }
};

}  // namespace tern::detail
