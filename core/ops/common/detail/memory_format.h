#pragma once

#include <tern/core/tensor/detail/shape.h>
#include <tern/core/tensor/tensor.h>

namespace tern::detail {

/// Returns the memory format that `input` suggests for the result of an op on a batch of images
/// with `dims` spatial dimensions; Contiguous for an input with another number of dimensions.
inline MemoryFormat image_format(const Tensor& input, int dims) {
  return input.dim() == dims + 2 ? input.suggest_memory_format() : MemoryFormat::Contiguous;
}

/// Makes a new tensor in a memory format, without history.
inline Tensor make_tensor(IntArrayRef sizes, MemoryFormat format, ScalarType dtype, Device device) {
  return make_tensor(sizes, format_strides(sizes, format), dtype, device);
}

/// Returns `fresh`, which nobody else has, in a memory format: with the strides of a tensor that
/// was made in it, also where sizes of 1 allow others. Recorded.
inline Tensor in_format(const Tensor& fresh, MemoryFormat format) {
  if (format == MemoryFormat::Contiguous) return fresh;
  Tensor result = fresh.contiguous(format);
  result.self().strides = format_strides(result.sizes(), format);
  return result;
}

}  // namespace tern::detail
