#pragma once

#include <tern/core/base/block_format.h>
#include <tern/core/tensor/tensor.h>

// Weights as ggml's blocks, as files of llama.cpp hold them: each row is a whole number of blocks
// of 32 or 256 elements in 4 to 8 bits with their scales. The elements are those of the file, so
// that nothing is converted. The CPU alone multiplies blocks.

namespace tern {

/// Returns the rows of `input` as blocks, uint8. The result has no gradient. float32, float64,
/// float16 and bfloat16 on the CPU, and on meta.
///
/// Throws: DTypeError for other dtypes, ShapeError unless the last size is a whole number of
/// blocks, Error for elements that are infinite or NaN and for Q6_K, whose blocks are only read,
/// NotImplementedError on other devices.
///
/// Shape: [*, n] -> [*, bytes]; n / 32 * 34 bytes for Q8_0
TERN_API Tensor quantize_rows(const Tensor& input, BlockFormat format);

/// Returns the elements of uint8 blocks. The result has no gradient. Elements are exact in float32
/// and float64, and rounded to narrower dtypes.
///
/// Throws: DTypeError unless the blocks are uint8 and `dtype` is a floating dtype, ShapeError
/// unless the last size is a whole number of blocks, NotImplementedError unless the blocks are on
/// the CPU or on meta.
///
/// Shape: [*, bytes] -> [*, n]
TERN_API Tensor dequantize_rows(const Tensor& blocks, BlockFormat format,
                                ScalarType dtype = kFloat32);

/// Returns input x W^T + bias, where the rows of W are blocks. The gradient reaches input and bias:
/// the blocks are constants.
///
/// The sums are float32, or float64 for a float64 input. Up to 15 rows of input are rounded to 8
/// bits, d = largest magnitude / 127 for each 32 elements, unless the format is Q6_K, the input is
/// float64 or use_exact_quantized_products() is on; a result then differs by at most
/// sum(|W| d / 2). More rows are multiplied in float32. A row of input with an infinite or NaN
/// element gives a row of infinite or NaN elements.
///
/// Throws: DTypeError unless the blocks are uint8, the input is floating and the bias has its
/// dtype, ShapeError unless the sizes fit, DeviceError for tensors on different devices,
/// NotImplementedError unless they are on the CPU or on meta.
///
/// Shape: input [*, n], blocks [rows, bytes], bias [rows] or undefined -> [*, rows]
///
/// Example:
///   Tensor blocks = quantize_rows(weight, BlockFormat::kQ8_0);
///   Tensor y = quantized_linear(x, blocks, BlockFormat::kQ8_0);  // about linear(x, weight)
TERN_API Tensor quantized_linear(const Tensor& input, const Tensor& blocks, BlockFormat format,
                                 const Tensor& bias = {});

/// Returns the rows of a table of blocks that the integers `indices` name, as dtype. The result has
/// no gradient.
///
/// Throws: DTypeError for indices other than int64 and int32 and for blocks other than uint8,
/// ShapeError unless the blocks are a matrix of whole blocks, IndexError for an index out of range,
/// NotImplementedError unless the tensors are on the CPU or on meta.
///
/// Shape: indices [*], blocks [rows, bytes] -> [*, n]
TERN_API Tensor quantized_embedding(const Tensor& indices, const Tensor& blocks, BlockFormat format,
                                    ScalarType dtype = kFloat32);

}  // namespace tern
