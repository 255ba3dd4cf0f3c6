// Compiled for size.

#include <algorithm>

#include <tern/core/autograd/record.h>
#include <tern/core/base/exact_products.h>
#include <tern/core/base/packed_weights.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/quantized_linear.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using kernels::bytes_of_row;

constexpr std::int64_t kGrain = 1 << 14;  // elements to convert that are worth a thread

void check_on_cpu(const char* argument, const Tensor& tensor) {
  TERN_CHECK(tensor.is_cpu() || tensor.is_meta(), NotImplementedError,
             "quantized weights run on the CPU, but ", argument, " is on ", tensor.device(),
             ": move it to the CPU, or dequantize the weights there and move them");
}

/// Returns the number of elements in a row of blocks.
std::int64_t elements_of_row(const Tensor& blocks, BlockFormat format) {
  TERN_CHECK(blocks.dtype() == kByte, DTypeError, "blocks must be uint8, but got ",
             blocks.scalar_type());
  TERN_CHECK(blocks.dim() > 0 && blocks.size(-1) % bytes_of_block(format) == 0, ShapeError,
             "the last size of blocks must be a multiple of ", bytes_of_block(format),
             ", the bytes of a block of ", block_format_name(format), ", but got ", blocks.sizes());
  return blocks.size(-1) / bytes_of_block(format) * elements_of_block(format);
}

DimVector with_last(const Tensor& tensor, std::int64_t size) {
  DimVector sizes = tensor.self().sizes;
  sizes.back() = size;
  return sizes;
}

/// Returns where kernels keep a packed copy of `blocks`. Null if the setting is off, or if `blocks`
/// is a view of a part of its storage: a storage keeps one copy.
IntrusivePtr<kernels::PackedBlocks> packed_of(const Tensor& blocks, BlockFormat format) {
  const IntrusivePtr<Storage>& storage = blocks.self().storage;
  const auto bytes = static_cast<std::size_t>(blocks.numel());
  if (!are_quantized_weights_packed() || storage->bytes() != bytes) return nullptr;
  const IntrusivePtr<RefCounted> kept = storage->derived();
  const std::uint32_t version = storage->version();
  auto* const packed = dynamic_cast<kernels::PackedBlocks*>(kept.get());
  if (packed != nullptr && packed->format == format && packed->row_bytes == blocks.size(1) &&
      packed->version == version) {
    return IntrusivePtr<kernels::PackedBlocks>(packed);
  }
  IntrusivePtr<kernels::PackedBlocks> made(
      new kernels::PackedBlocks(format, blocks.size(1), version));
  storage->keep_derived(IntrusivePtr<RefCounted>(made.get()));
  return made;
}

/// Returns the result of a product of matrices that are not empty.
Tensor run_linear(const Tensor& input, const Tensor& blocks, BlockFormat format,
                  const Tensor& bias) {
  const auto plain = [](const Tensor& tensor) {
    return tensor.defined() ? tensor.detach().to(kFloat32).contiguous() : tensor;
  };
  Tensor x = input.detach().to(kFloat32);
  if (x.stride(1) != 1) x = x.contiguous();
  const Tensor w = blocks.contiguous(), b = plain(bias);
  const auto packed = packed_of(w, format);
  Tensor out = detail::make_tensor({x.size(0), w.size(0)}, kFloat32, x.device());
  kernels::QuantizedLinearArgs args{};
  args.format = format;
  args.rows = x.size(0);
  args.columns = x.size(1);
  args.features = w.size(0);
  args.input = static_cast<const float*>(x.data_ptr());
  args.input_row_stride = x.stride(0);
  args.blocks = w.data_ptr();
  args.bias = b.defined() ? static_cast<const float*>(b.data_ptr()) : nullptr;
  args.out = static_cast<float*>(out.data_ptr());
  args.is_exact = are_quantized_products_exact();
  args.packed = packed.get();
  kernels::run("quantized_linear", x.device(), kFloat32, args);
  return out.to(input.dtype());
}

}  // namespace

Tensor quantize_rows(const Tensor& input, BlockFormat format) {
  TERN_OP("quantize_rows", input);
  check_on_cpu("input", input);
  TERN_CHECK(input.is_floating_point(), DTypeError, "input must be floating, but got ",
             input.scalar_type());
  TERN_CHECK(format != BlockFormat::kQ6_K, Error, "blocks of Q6_K are only read, not made");
  const int block = elements_of_block(format);
  TERN_CHECK(input.dim() > 0 && input.size(-1) % block == 0, ShapeError,
             "the last size of input must be a multiple of ", block,
             ", the elements of a block of ", block_format_name(format), ", but got ",
             input.sizes());
  const std::int64_t columns = input.size(-1);
  Tensor out =
      detail::make_tensor(with_last(input, bytes_of_row(format, columns)), kByte, input.device());
  if (out.numel() == 0 || out.is_meta()) return out;
  const Tensor x = input.detach().to(kFloat32).contiguous();
  TERN_CHECK(x.isfinite().all().item<bool>(), Error,
             "input has elements that are infinite or NaN, which blocks cannot hold");
  const auto* const from = static_cast<const float*>(x.data_ptr());
  auto* const to = static_cast<std::byte*>(out.data_ptr());
  parallel_for(0, x.numel() / block, kGrain / block, [&](std::int64_t begin, std::int64_t end) {
    quantize_blocks(format, from + begin * block, end - begin, to + begin * bytes_of_block(format));
  });
  return out;
}

Tensor dequantize_rows(const Tensor& blocks, BlockFormat format, ScalarType dtype) {
  TERN_OP("dequantize_rows", blocks);
  check_on_cpu("blocks", blocks);
  const std::int64_t columns = elements_of_row(blocks, format);
  TERN_CHECK(is_floating_point(dtype), DTypeError, "dtype must be floating, but got ", dtype);
  Tensor out = detail::make_tensor(with_last(blocks, columns), kFloat32, blocks.device());
  if (out.numel() == 0 || out.is_meta()) return out.to(dtype);
  const Tensor plain = blocks.contiguous();
  const int block = elements_of_block(format);
  const auto* const from = static_cast<const std::byte*>(plain.data_ptr());
  auto* const to = static_cast<float*>(out.data_ptr());
  parallel_for(0, out.numel() / block, kGrain / block, [&](std::int64_t begin, std::int64_t end) {
    dequantize_blocks(format, from + begin * bytes_of_block(format), end - begin,
                      to + begin * block);
  });
  return out.to(dtype);
}

Tensor quantized_linear(const Tensor& input, const Tensor& blocks, BlockFormat format,
                        const Tensor& bias) {
  TERN_OP("quantized_linear", input, blocks);
  TERN_AUTOCAST(kLower, kLower, quantized_linear, input, blocks, format, bias);
  check_on_cpu("input", input);
  check_on_cpu("blocks", blocks);
  TERN_CHECK(input.is_floating_point(), DTypeError, "input must be floating, but got ",
             input.scalar_type());
  TERN_CHECK(blocks.dim() == 2, ShapeError, "blocks must be a matrix, but got ", blocks.sizes());
  const std::int64_t columns = elements_of_row(blocks, format), features = blocks.size(0);
  TERN_CHECK(input.dim() > 0 && input.size(-1) == columns, ShapeError, "the last size of input ",
             input.sizes(), " must be ", columns, ", the elements in a row of blocks ",
             blocks.sizes(), " of ", block_format_name(format));
  TERN_CHECK(!bias.defined() || bias.dtype() == input.dtype(), DTypeError,
             "the bias must have the dtype of input, ", input.scalar_type(), ", but got ",
             bias.scalar_type());
  TERN_CHECK(!bias.defined() || (bias.dim() == 1 && bias.size(0) == features), ShapeError,
             "the bias must have the sizes [", features, "], but got ", bias.sizes());
  detail::check_same_device("quantized_linear", {&input, &blocks, &bias},
                            {"input", "blocks", "bias"});
  // Rounding the input to 8 bits would waste float64, and without columns there is no block.
  if (input.dtype() == kDouble || columns == 0) {
    return linear(input, dequantize_rows(blocks, format, input.dtype()), bias);
  }
  const DimVector sizes = with_last(input, features);
  Tensor out;
  if (input.is_meta() || input.numel() == 0 || features == 0) {
    out = detail::make_tensor(sizes, input.dtype(), input.device());
  } else {
    const Tensor rows = input.detach().reshape({-1, columns});
    out = run_linear(rows, blocks, format, bias).reshape(sizes);
  }
  if (!needs_grad(input, bias)) return out;
  return record("QuantizedLinearBackward0", out,
                wrt(
                    input,
                    [format](const Tensor& g, const Tensor& saved) {
                      return g.matmul(dequantize_rows(saved, format, g.scalar_type()));
                    },
                    blocks),
                wrt(bias, [](const Tensor& g) { return g; }));
}

Tensor quantized_embedding(const Tensor& indices, const Tensor& blocks, BlockFormat format,
                           ScalarType dtype) {
  TERN_OP("quantized_embedding", indices, blocks);
  check_on_cpu("blocks", blocks);
  elements_of_row(blocks, format);
  return dequantize_rows(embedding(blocks, indices), format, dtype);
}

}  // namespace tern
