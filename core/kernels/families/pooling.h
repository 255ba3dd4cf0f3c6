#pragma once

#include <tern/core/kernels/host_device.h>
#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

enum class PoolingOp : std::int32_t { kMax, kAverage, kAverageBackward };

/// How the windows lie in the input.
enum class PoolingWindows : std::int32_t {
  kRegular,   // kernel elements that are `dilation` apart, from o * stride - padding on
  kAdaptive,  // from floor(o * size / out_size) to ceil((o + 1) * size / out_size)
  kTable      // kernel elements from a start in `starts` on
};

/// Reduces windows of contiguous [planes, sizes...] tensors to contiguous [planes, out_sizes...]
/// ones. Every window has an element inside of the input.
///   kMax: every dtype but bool. out = the largest element. indices, unless null, receives its
///   position in the plane: the first of equal elements, the last of NaNs. A plane has less than
///   2^31 elements.
///   kAverage: floating dtypes and int64, which rounds towards zero. out = the sum divided by
///   pooling_divisor().
///   kAverageBackward: floating dtypes. `in` is the gradient of the result, `out` that of the
///   input. Only for regular and adaptive windows, without dilation.
struct PoolingArgs {
  PoolingOp op;
  PoolingWindows windows;
  ScalarType dtype;
  std::int32_t count_include_pad;  // regular averages: padding counts as elements
  std::int64_t planes;
  std::int64_t sizes[3], out_sizes[3], kernel[3], stride[3], padding[3], dilation[3];
  std::int64_t divisor;        // of averages; 0 for the number of elements
  const std::int64_t* starts;  // [planes, out_sizes[0] + out_sizes[1] + out_sizes[2]]
  const void* in;
  void* out;
  std::int64_t* indices;
};

TERN_KERNEL_SLOT(pooling, PoolingArgs)

/// The elements of a window in one dimension: begin, begin + step, ... below end.
struct PoolingRange {
  std::int64_t begin, end, step;

  TERN_HOST_DEVICE constexpr std::int64_t count() const { return (end - begin + step - 1) / step; }
};

/// Returns the elements of window `o` in dimension d that lie inside of the input.
TERN_HOST_DEVICE constexpr PoolingRange pooling_range(const PoolingArgs& args, std::int64_t plane,
                                                      int d, std::int64_t o) {
  const std::int64_t size = args.sizes[d], out = args.out_sizes[d];
  if (args.windows == PoolingWindows::kAdaptive) {
    return {o * size / out, ((o + 1) * size + out - 1) / out, 1};
  }
  if (args.windows == PoolingWindows::kTable) {
    const std::int64_t* starts =
        args.starts + plane * (args.out_sizes[0] + args.out_sizes[1] + args.out_sizes[2]);
    for (int before = 0; before < d; ++before) starts += args.out_sizes[before];
    return {starts[o], starts[o] + args.kernel[d], 1};
  }
  const std::int64_t step = args.dilation[d], start = o * args.stride[d] - args.padding[d];
  const std::int64_t end = start + (args.kernel[d] - 1) * step + 1;
  return {start < 0 ? start + (step - 1 - start) / step * step : start, end < size ? end : size,
          step};
}

/// Returns by how many elements of dimension d the sum of window `o` is divided.
TERN_HOST_DEVICE constexpr std::int64_t pooling_count(const PoolingArgs& args, int d,
                                                      std::int64_t o) {
  if (args.windows == PoolingWindows::kRegular && args.count_include_pad != 0) {
    const std::int64_t start = o * args.stride[d] - args.padding[d];
    const std::int64_t end = start + args.kernel[d], limit = args.sizes[d] + args.padding[d];
    return (end < limit ? end : limit) - start;
  }
  return pooling_range(args, 0, d, o).count();
}

/// Returns the windows that hold element i of dimension d. Only without dilation and table.
TERN_HOST_DEVICE constexpr PoolingRange pooling_windows_of(const PoolingArgs& args, int d,
                                                           std::int64_t i) {
  const std::int64_t size = args.sizes[d], out = args.out_sizes[d];
  if (args.windows == PoolingWindows::kAdaptive) {
    return {i * out / size, ((i + 1) * out + size - 1) / size, 1};
  }
  const std::int64_t stride = args.stride[d], at = i + args.padding[d];
  const std::int64_t before = at - args.kernel[d] + stride, last = at / stride + 1;
  return {before < 0 ? 0 : before / stride, last < out ? last : out, 1};
}

inline Operands operands(PoolingArgs& args) {
  const auto count = [&](const std::int64_t* n) { return args.planes * n[0] * n[1] * n[2]; };
  const std::int64_t* const n = args.out_sizes;
  const bool back = args.op == PoolingOp::kAverageBackward;
  return Operands()
      .add("the input", args.in, args.dtype, count(back ? n : args.sizes))
      .add("the output", args.out, args.dtype, count(back ? args.sizes : n))
      .add("the indices", args.indices, kLong, count(n))
      .add("the starts", args.starts, kLong, args.planes * (n[0] + n[1] + n[2]));
}

}  // namespace tern::kernels
