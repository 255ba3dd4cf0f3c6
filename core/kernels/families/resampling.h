#pragma once

#include <tern/core/kernels/host_device.h>
#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

enum class ResampleMode : std::int32_t {
  kNearest,
  kNearestExact,
  kLinear,
  kCubic,
  kLinearAntialias,  // the filter is as wide as the distance of the outputs, if that is above 1
  kCubicAntialias
};

/// Resamples dimension `in_size` of a contiguous [outer, in_size, inner] tensor to out_size
/// elements. Each result is a sum of weighted elements, those of ResampleAxis. Floating dtypes.
/// With `backward` the call is the adjoint: `in` is the gradient [outer, out_size, inner] of the
/// result, `out` that of the input, [outer, in_size, inner].
struct ResampleArgs {
  ResampleMode mode;
  ScalarType dtype;
  std::int32_t backward, align_corners;
  std::int64_t outer, in_size, out_size, inner;
  double scale;  // the factor by which the caller enlarges; 0 for out_size / in_size
  const void* in;
  void* out;
};

TERN_KERNEL_SLOT(resample, ResampleArgs)

inline Operands operands(ResampleArgs& args) {
  const std::int64_t in = args.outer * args.in_size * args.inner;
  const std::int64_t out = args.outer * args.out_size * args.inner;
  const bool back = args.backward != 0;
  return Operands()
      .add("the input", args.in, args.dtype, back ? out : in)
      .add("the output", args.out, args.dtype, back ? in : out);
}

}  // namespace tern::kernels
