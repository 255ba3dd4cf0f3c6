// Instruction sets: baseline avx2 avx512.
// Compiled for size.

#include <algorithm>

#include <tern/backends/cpu/kernels/quantized/activations.h>
#include <tern/backends/cpu/kernels/quantized/expand.h>
#include <tern/backends/cpu/kernels/quantized/packed.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/families/gemm.h>
#include <tern/core/kernels/families/quantized_linear.h>

// Few rows are rounded to 8 bits and multiplied in integers, block by block as the blocks lie in
// memory. Many rows are multiplied by the kernel for matrices, with panels of the weights in
// float32. The bits of a result do not depend on the number of threads: the choice depends on sizes
// alone, and a thread computes whole results.

namespace tern::cpu {
namespace {

using namespace kernels;

// Measured: from this many rows on, panels are faster.
constexpr std::int64_t kPanelRows = 16, kExactPanelRows = 4;
// Elements of a panel, which stay in the second-level cache.
constexpr std::int64_t kPanelElements = 1 << 17;
// Multiplications, and elements of blocks to expand, that are worth a thread.
constexpr std::int64_t kDotGrain = 1 << 17;
constexpr std::int64_t kExpandGrain = 1 << 14;

/// The kernel for products of this instruction set.
KernelFn gemm_kernel;

template <BlockFormat format>
void multiply_bytes(const QuantizedLinearArgs& args) {
  using Traits = BlockTraits<format>;
  constexpr int kTogether = kLanes > 1 ? 4 : 1;  // rows of activations
  const Activations activations(args.input, args.rows, args.columns, args.input_row_stride,
                                Traits::kOffset, format == BlockFormat::kQ4_K ? 1 : 2);
  const std::int64_t blocks = args.columns / elements_of_block(format);
  parallel_for(0, args.features, kDotGrain / (args.rows * args.columns),
               [&](std::int64_t begin, std::int64_t end) {
                 RowOfActivations x[kTogether];
                 RowsOfBlocks rows{static_cast<const std::uint8_t*>(args.blocks),
                                   blocks * Traits::kBytes, blocks, begin, end};
                 // The weights of a few features stay in the cache for all rows of activations.
                 const std::int64_t step = args.rows > kTogether ? 16 : end - begin;
                 for (; rows.begin < end; rows.begin = rows.end) {
                   rows.end = std::min(rows.begin + step, end);
                   for (std::int64_t row = 0; row < args.rows;) {
                     const Target to{args.out + row * args.features, args.features, args.bias};
                     if (row + kTogether <= args.rows) {
                       for (int c = 0; c < kTogether; ++c) x[c] = activations.row(row + c);
                       multiply<kTogether, format>(rows, x, to);
                       row += kTogether;
                     } else {
                       x[0] = activations.row(row++);
                       multiply<1, format>(rows, x, to);
                     }
                   }
                 }
               });
}

/// Multiplies with the activations as they are, without a panel.
void multiply_exactly(const QuantizedLinearArgs& args) {
  const std::int64_t bytes = bytes_of_row(args.format, args.columns);
  const std::int64_t blocks = args.columns / elements_of_block(args.format);
  parallel_for(0, args.features, kExpandGrain / args.columns,
               [&](std::int64_t begin, std::int64_t end) {
                 const RowsOfBlocks rows{static_cast<const std::uint8_t*>(args.blocks), bytes,
                                         blocks, begin, end};
                 for (std::int64_t row = 0; row < args.rows; ++row) {
                   multiply_floats(args.format, rows, args.input + row * args.input_row_stride,
                                   {args.out + row * args.features, args.features, args.bias});
                 }
               });
}

/// Multiplies with panels of weights in float32.
void multiply_panels(const QuantizedLinearArgs& args, KernelContext& context) {
  const std::int64_t columns = args.columns, row_bytes = bytes_of_row(args.format, columns);
  const std::int64_t row_blocks = columns / elements_of_block(args.format);
  const std::int64_t most = std::clamp<std::int64_t>(kPanelElements / columns, 16, args.features);
  const Scratch<float> panel(most * columns);
  for (std::int64_t first = 0; first < args.features; first += most) {
    const std::int64_t features = std::min(most, args.features - first);
    const auto* const blocks = static_cast<const std::uint8_t*>(args.blocks) + first * row_bytes;
    parallel_for(0, features, kExpandGrain / columns, [&](std::int64_t begin, std::int64_t end) {
      expand(args.format, blocks + begin * row_bytes, (end - begin) * row_blocks,
             panel.data() + begin * columns);
    });
    GemmArgs product{};
    product.dtype = kFloat32;
    product.precision = GemmPrecision::kHighest;
    product.batch = 1;
    product.m = args.rows;
    product.n = features;
    product.k = columns;
    product.a = args.input;
    product.a_row_stride = args.input_row_stride;
    product.a_col_stride = 1;
    product.b = panel.data();
    product.b_row_stride = 1;
    product.b_col_stride = columns;
    product.c = args.out + first;
    product.c_row_stride = args.features;
    product.bias = args.bias != nullptr ? args.bias + first : nullptr;
    product.bias_stride = 1;
    product.alpha = 1;
    gemm_kernel(&product, &context);
  }
}

void quantized_linear(const QuantizedLinearArgs& args, KernelContext& context) {
  if (args.rows == 0 || args.features == 0) return;
  const bool is_exact = args.is_exact || args.format == BlockFormat::kQ6_K;
#if defined(TERN_VNNI)
  const PackedFormat* const format = packed_format(args.format);
  if (args.packed != nullptr && format != nullptr && !is_exact && args.columns > 0) {
    return multiply_packed(args, *format);
  }
#endif
  if (args.columns == 0 || args.rows >= (is_exact ? kExactPanelRows : kPanelRows)) {
    return multiply_panels(args, context);
  }
  if (is_exact) return multiply_exactly(args);
  switch (args.format) {
    case BlockFormat::kQ8_0:
      return multiply_bytes<BlockFormat::kQ8_0>(args);
    case BlockFormat::kQ4_0:
      return multiply_bytes<BlockFormat::kQ4_0>(args);
    case BlockFormat::kQ4_1:
      return multiply_bytes<BlockFormat::kQ4_1>(args);
    default:
      return multiply_bytes<BlockFormat::kQ4_K>(args);
  }
}

}  // namespace

void register_quantized_linear(kernels::KernelTable& table) {
  gemm_kernel = table[kernels::Slot::gemm];
#if defined(TERN_VNNI) && !defined(__AVX512VNNI__)
  // Without VNNI the kernel of AVX2 does the same.
  if (!__builtin_cpu_supports("avx512vnni")) return;
#endif
  kernels::set<kernels::QuantizedLinearArgs, quantized_linear>(table);
}

}  // namespace tern::cpu
