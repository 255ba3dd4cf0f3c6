#pragma once

#include <tern/core/tensor/tensor.h>

// Ops that change the sizes or the memory of a tensor in place, without a gradient. They throw
// Error for tensors that require one.

namespace tern {

/// Gives the tensor new sizes, row-major, and returns it. It keeps its elements in the order of
/// their memory; elements beyond the old memory are uninitialised. When the memory is too small,
/// the tensor gets memory of its own, and is no longer a view. With a memory format, the strides
/// are those of the format. Throws ShapeError for a negative size.
///
/// Example:
///   Tensor x = tern::arange(6).resize_({2, 2});  // tensor([[0, 1], [2, 3]])
TERN_API Tensor& resize_(Tensor& self, IntArrayRef sizes,
                         std::optional<MemoryFormat> memory_format = std::nullopt);
/// Does the same with the sizes of `other`; Preserve stands for its memory format.
TERN_API Tensor& resize_as_(Tensor& self, const Tensor& other,
                            std::optional<MemoryFormat> memory_format = std::nullopt);

/// Makes the tensor show the elements of `source`, shared with it, and returns it. Throws
/// DTypeError and DeviceError unless both have the same dtype and device.
TERN_API Tensor& set_(Tensor& self, const Tensor& source);
/// Makes it show other elements of the memory of `source`. Throws ShapeError or IndexError when
/// they are not all in that memory. Without strides the elements are row-major.
TERN_API Tensor& set_(Tensor& self, const Tensor& source, StrictInt storage_offset,
                      IntArrayRef sizes, IntArrayRef strides = {});
/// Makes it an empty tensor of sizes [0].
TERN_API Tensor& set_(Tensor& self);

}  // namespace tern
