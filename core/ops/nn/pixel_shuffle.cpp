// Compiled for size.

#include <algorithm>

#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/common/detail/memory_format.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/shape/detail/view.h>
#include <tern/core/ops/ops.h>

// Shuffles of channels and pixels, padding, choices and powers.

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

Tensor constant_pad_nd(const Tensor& input, IntArrayRef pad, const Scalar& value) {
  TERN_OP("constant_pad_nd", input);
  TERN_CHECK(pad.size() % 2 == 0, ShapeError, "Length of pad must be even but instead it equals ",
             pad.size());
  TERN_CHECK(pad.size() <= 2 * input.sizes().size(), ShapeError,
             "Length of pad should be no more than twice the number of dimensions of the input. "
             "Pad length is ",
             pad.size(), " while the input has ", input.dim(), " dimensions.");
  DimVector sizes = input.self().sizes, part = input.self().sizes;  // of the result, of the copy
  DimVector back;                                                   // the pad of the gradient
  std::int64_t from = input.storage_offset();
  DimVector starts(sizes.size(), 0);
  bool grows = false;
  for (std::size_t i = 0; i < pad.size() / 2; ++i) {
    const std::size_t d = sizes.size() - 1 - i;
    const std::int64_t before = pad[2 * i], after = pad[2 * i + 1], size = sizes[d];
    const bool is_valid =
        before >= -size && after >= -size &&
        std::min<std::int64_t>(before, 0) + std::min<std::int64_t>(after, 0) >= -size &&
        !__builtin_add_overflow(sizes[d], before, &sizes[d]) &&
        !__builtin_add_overflow(sizes[d], after, &sizes[d]);
    TERN_CHECK(is_valid, ShapeError, "The input size ", size, ", plus padding ", before, " and ",
               after, ", resulted in an invalid output size. Check dimension ", d,
               " of your input.");
    part[d] = size + std::min<std::int64_t>(before, 0) + std::min<std::int64_t>(after, 0);
    if (before < 0 && part[d] != 0) from -= before * input.strides()[d];
    starts[d] = std::max<std::int64_t>(before, 0);
    grows = grows || before > 0 || after > 0;
    back.push_back(-before);
    back.push_back(-after);
  }
  // Without new elements, the result is a clone of a part.
  Tensor out = detail::make_tensor(sizes,
                                   grows ? format_strides(sizes, input.suggest_memory_format())
                                         : preserved_strides(sizes, input.strides()),
                                   input.dtype(), input.device());
  {
    const NoGradGuard no_grad;
    if (grows) out.fill_(value);
    std::int64_t to = 0;
    for (std::size_t d = 0; d < sizes.size(); ++d) to += starts[d] * out.strides()[d];
    if (out.numel() != 0 && checked_numel(part) != 0) {
      detail::copy_elements(detail::make_alias(out, part, out.strides(), to),
                            detail::make_alias(input, part, input.strides(), from));
    }
  }
  if (!needs_grad(input)) return out;
  return record("ConstantPadNdBackward0", out,
                wrt(input, [back](const Tensor& g) { return constant_pad_nd(g, back); }));
}

namespace {

// Returns n! / (k! * (n - k)!). Throws ShapeError if it exceeds int64.
std::int64_t count_choices(std::int64_t n, std::int64_t k) {
  if (k > n) return 0;
  k = std::min(k, n - k);
  __int128 count = 1;
  for (std::int64_t i = 1; i <= k; ++i) {
    count = count * (n - k + i) / i;
    TERN_CHECK(count <= INT64_MAX, ShapeError, "there are too many choices of ", k, " of ", n,
               " elements");
  }
  return static_cast<std::int64_t>(count);
}

// Returns the indices of all choices of r of n elements, one choice after the other.
Tensor choices_of(std::int64_t n, std::int64_t r, bool with_replacement) {
  std::int64_t total = n;
  TERN_CHECK(!with_replacement || !__builtin_add_overflow(n, r - 1, &total), ShapeError,
             "there are too many choices of ", r, " of ", n, " elements");
  const std::int64_t count = with_replacement && n == 0 ? 0 : count_choices(total, r);
  Tensor indices = detail::make_tensor({count, r}, kLong, kCPU);
  auto row = static_cast<std::int64_t*>(indices.data_ptr());
  const std::int64_t step = with_replacement ? 0 : 1;  // between neighbours at least
  for (std::int64_t i = 0; i < count; ++i, row += r) {
    std::int64_t at = 0, next = 0;
    if (i > 0) {
      // Raises the last index that is not at its largest value, and resets all after it.
      std::copy(row - r, row, row);
      at = r - 1;
      while (row[at] == n - 1 - step * (r - 1 - at)) --at;
      next = row[at] + 1;
    }
    for (; at < r; ++at, next += step) row[at] = next;
  }
  return indices;
}

}  // namespace

Tensor combinations(const Tensor& input, StrictInt r, StrictBool with_replacement) {
  TERN_OP("combinations", input);
  TERN_CHECK(input.dim() == 1, ShapeError, "Expect a 1D vector, but got shape ", input.sizes());
  TERN_CHECK(r >= 0, Error, "Expect a non-negative number, but got ", r);
  if (r == 0) return empty({0}, input.options());
  const Tensor choices = choices_of(input.numel(), r, with_replacement).to(input.device());
  const Tensor flat = choices.view({-1});
  Tensor out = input.detach().index_select(0, flat);
  out.self().set_geometry(0, choices.sizes(), contiguous_strides(choices.sizes()));
  if (!needs_grad(input)) return out;
  return record("IndexBackward0", out,
                wrt(
                    input,
                    [shape = input.self().sizes](const Tensor& g, const Tensor& at) {
                      return g.new_zeros(shape).index_add(0, at, g.reshape({-1}));
                    },
                    flat));
}

}  // namespace tern
