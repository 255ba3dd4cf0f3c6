#pragma once

#include <tern/core/kernels/host_device.h>
#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

enum class PadMode : std::int32_t { kReflect, kReplicate, kCircular };

/// Pads the last three dimensions of a contiguous [outer, sizes...] tensor. Dimension d of `out`
/// has before[d] new elements, the sizes[d] of `in`, then new ones up to out_sizes[d]. New elements
/// repeat others: in reflect mode those at the same distance from the first or last one, in
/// replicate mode the first or last one, in circular mode those of the other end.
struct PadArgs {
  PadMode mode;
  ScalarType dtype;
  std::int64_t outer;
  std::int64_t sizes[3], before[3], out_sizes[3];
  const void* in;
  void* out;
};

TERN_KERNEL_SLOT(pad, PadArgs)

/// The k-th new element on one side repeats element `start` + k * `step`.
struct PadSide {
  std::int64_t start, step;
};
TERN_HOST_DEVICE constexpr PadSide pad_side(PadMode mode, std::int64_t size, std::int64_t before,
                                            bool is_after) {
  if (mode == PadMode::kReflect) return {is_after ? size - 2 : before, -1};
  if (mode == PadMode::kReplicate) return {is_after ? size - 1 : 0, 0};
  return {is_after ? 0 : size - before, 1};
}

/// Returns the element of dimension d of `in` that is element i of `out`.
TERN_HOST_DEVICE constexpr std::int64_t padded_index(const PadArgs& args, int d, std::int64_t i) {
  const std::int64_t size = args.sizes[d], before = args.before[d], end = before + size;
  if (i >= before && i < end) return i - before;
  const bool is_after = i >= end;
  const PadSide side = pad_side(args.mode, size, before, is_after);
  return side.start + (is_after ? i - end : i) * side.step;
}

inline Operands operands(PadArgs& args) {
  const auto count = [&](const std::int64_t* n) { return args.outer * n[0] * n[1] * n[2]; };
  return Operands()
      .add("the input", args.in, args.dtype, count(args.sizes))
      .add("the output", args.out, args.dtype, count(args.out_sizes));
}

}  // namespace tern::kernels
