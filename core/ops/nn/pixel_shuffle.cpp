// Compiled for size.

#include <algorithm>

#include <tern/core/ops/common/detail/memory_format.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>
#include <tern/core/ops/shape/detail/view.h>

// Shuffles of channels and pixels.

namespace tern {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;

namespace {

// Returns a copy of the elements of `moved`, in its order, with other sizes and the memory format.
Tensor copied_as(const Tensor& moved, IntArrayRef sizes,
                 MemoryFormat format = MemoryFormat::Contiguous) {
  Tensor out = detail::make_tensor(moved.sizes(), moved.dtype(), moved.device());
  detail::copy_elements(out, moved);
  out.self().set_geometry(0, sizes, contiguous_strides(sizes));
  const NoGradGuard no_grad;
  return detail::in_format(out, format);
}

void check_pixel_arguments(const Tensor& input, const char* factor_name, std::int64_t factor) {
  TERN_CHECK(input.dim() >= 3, ShapeError,
             "expects input to have at least 3 dimensions, but got input with ", input.dim(),
             " dimension(s)");
  TERN_CHECK(factor > 0, Error, "expects a positive ", factor_name, ", but got ", factor);
  TERN_CHECK(factor < std::int64_t{1} << 31, ShapeError, factor_name, " ", factor,
             " is too large for the sizes ", input.sizes());
}

// The last three dimensions: channels, height, width.
struct Pixels {
  explicit Pixels(const Tensor& input)
      : channels(input.size(-3)), height(input.size(-2)), width(input.size(-1)) {}
  std::int64_t channels, height, width;
};

// Moves three of the last five dimensions; `order` counts from the first of the five.
Tensor permuted_five(const Tensor& x, const std::int64_t (&order)[5]) {
  const std::int64_t leading = x.dim() - 5;
  DimVector dims;
  for (std::int64_t d = 0; d < leading; ++d) dims.push_back(d);
  for (const std::int64_t d : order) dims.push_back(leading + d);
  return x.permute(dims);
}

DimVector with_pixels(const Tensor& input, std::int64_t channels, std::int64_t height,
                      std::int64_t width) {
  DimVector sizes = input.self().sizes;
  for (int i = 0; i < 3; ++i) sizes.pop_back();
  for (const std::int64_t size : {channels, height, width}) sizes.push_back(size);
  return sizes;
}

std::int64_t scaled_size(std::int64_t size, std::int64_t factor) {
  std::int64_t result = 0;
  TERN_CHECK(!__builtin_mul_overflow(size, factor, &result), ShapeError, "the factor ", factor,
             " is too large for size ", size);
  return result;
}

}  // namespace

Tensor pixel_shuffle(const Tensor& input, StrictInt upscale_factor) {
  TERN_OP("pixel_shuffle", input);
  check_pixel_arguments(input, "upscale_factor", upscale_factor);
  const std::int64_t r = upscale_factor;
  const Pixels p(input);
  TERN_CHECK(p.channels % (r * r) == 0, ShapeError,
             "expects its input's 'channel' dimension to be divisible by the square of "
             "upscale_factor, but input.size(-3)=",
             p.channels, " is not divisible by ", r * r);
  const std::int64_t channels = p.channels / (r * r);
  const Tensor moved =
      permuted_five(input.detach().unflatten(-3, {channels, r, r}), {0, 3, 1, 4, 2});
  Tensor out = copied_as(
      moved, with_pixels(input, channels, scaled_size(p.height, r), scaled_size(p.width, r)),
      input.suggest_memory_format());
  if (!needs_grad(input)) return out;
  return record("PixelShuffleBackward0", out,
                wrt(input, [r](const Tensor& g) { return pixel_unshuffle(g, r); }));
}

Tensor pixel_unshuffle(const Tensor& input, StrictInt downscale_factor) {
  TERN_OP("pixel_unshuffle", input);
  check_pixel_arguments(input, "downscale_factor", downscale_factor);
  const std::int64_t r = downscale_factor;
  const Pixels p(input);
  TERN_CHECK(p.height % r == 0, ShapeError,
             "expects height to be divisible by downscale_factor, but input.size(-2)=", p.height,
             " is not divisible by ", r);
  TERN_CHECK(p.width % r == 0, ShapeError,
             "expects width to be divisible by downscale_factor, but input.size(-1)=", p.width,
             " is not divisible by ", r);
  const Tensor cut =
      input.detach().unflatten(-1, {p.width / r, r}).unflatten(-3, {p.height / r, r});
  Tensor out =
      copied_as(permuted_five(cut, {0, 2, 4, 1, 3}),
                with_pixels(input, scaled_size(p.channels, r * r), p.height / r, p.width / r),
                input.suggest_memory_format());
  if (!needs_grad(input)) return out;
  return record("PixelUnshuffleBackward0", out,
                wrt(input, [r](const Tensor& g) { return pixel_shuffle(g, r); }));
}

Tensor channel_shuffle(const Tensor& input, StrictInt groups) {
  TERN_OP("channel_shuffle", input);
  TERN_CHECK(input.dim() > 2, ShapeError, "expects input with > 2 dims, but got input with sizes ",
             input.sizes());
  TERN_CHECK(groups > 0, Error,
             "Number of groups to divide channels in must be positive. Value of groups:", groups);
  const std::int64_t channels = input.size(1);
  TERN_CHECK(channels % groups == 0, ShapeError,
             "Number of channels must be divisible by groups. Got ", channels, " channels and ",
             groups, " groups.");
  const std::int64_t each = channels / groups;
  Tensor out =
      copied_as(input.detach().unflatten(1, {groups, each}).transpose(1, 2), input.sizes());
  if (!needs_grad(input)) return out;
  return record("ChannelShuffleBackward0", out, wrt(input, [each](const Tensor& g) {
                  return channel_shuffle(g, std::max<std::int64_t>(each, 1));
                }));
}

}  // namespace tern
