#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include <tern/core/base/block_format.h>
#include <tern/core/base/intrusive_ptr.h>
#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

/// What a kernel keeps of unchanged blocks between products, in an order of its own.
struct PackedBlocks final : RefCounted {
  PackedBlocks(BlockFormat format_, std::int64_t row_bytes_, std::uint32_t version_)
      : format(format_), row_bytes(row_bytes_), version(version_) {}

  const BlockFormat format;
  const std::int64_t row_bytes;
  const std::uint32_t version;  // of the blocks
  std::once_flag made;
  std::shared_ptr<const std::uint8_t> data;  // made by the kernel
};

/// out = input x W^T + bias in float32, where the rows of W are blocks of a format. `input` is
/// [rows, columns] with contiguous rows, `blocks` [features, bytes of a row], `bias` null or
/// [features], `out` [rows, features]; all but the rows of the input without gaps. `columns` is a
/// whole number of blocks.
///
/// Unless is_exact, a kernel may round each 32 elements of the input to 8 bits with a scale: q = x
/// / d, d = largest magnitude / 127. An input row with an infinite or NaN element gives results
/// that are infinite or NaN. `packed` is null, or where a kernel may keep the blocks as it wants to
/// read them.
struct QuantizedLinearArgs {
  BlockFormat format;
  std::int64_t rows, columns, features;
  const float* input;
  std::int64_t input_row_stride;
  const void* blocks;
  const float* bias;
  float* out;
  bool is_exact;
  PackedBlocks* packed = nullptr;
};

TERN_KERNEL_SLOT(quantized_linear, QuantizedLinearArgs)

/// Returns the bytes of a row of `columns` elements.
constexpr std::int64_t bytes_of_row(BlockFormat format, std::int64_t columns) {
  return columns / elements_of_block(format) * bytes_of_block(format);
}

inline Operands operands(QuantizedLinearArgs& args) {
  return Operands()
      .add("the input", args.input, kFloat32,
           {{args.rows, args.input_row_stride}, {args.columns, 1}})
      .add("the blocks", args.blocks, kByte,
           args.features * bytes_of_row(args.format, args.columns))
      .add("the bias", args.bias, kFloat32, args.features)
      .add("the output", args.out, kFloat32, args.rows * args.features);
}

}  // namespace tern::kernels
