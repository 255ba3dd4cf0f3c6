// Compiled for size.

#include <algorithm>

#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>

// im2col and col2im. Both are linear, and each is the adjoint of the other.

namespace tern {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;

namespace {

/// A number for the height and one for the width.
struct TwoSizes {
  std::int64_t height, width;

  TwoSizes(std::int64_t height_, std::int64_t width_) : height(height_), width(width_) {}
  TwoSizes(const char* name, IntArrayRef list) {
    TERN_CHECK(list.size() == 2, ShapeError, "It is expected ", name, " equals to 2, but got size ",
               list.size());
    height = list[0];
    width = list[1];
  }
  IntArrayRef list() const { return {&height, 2}; }
};
static_assert(sizeof(TwoSizes) == 2 * sizeof(std::int64_t));

std::ostream& operator<<(std::ostream& stream, const TwoSizes& sizes) {
  return stream << detail::text_of('(', sizes.height, ", ", sizes.width, ')');
}

void check_positive(const char* text, const char* name, const TwoSizes& sizes) {
  TERN_CHECK(sizes.height > 0 && sizes.width > 0, ShapeError, text,
             " should be greater than zero, but got ", name, "_height: ", sizes.height, ' ', name,
             "_width: ", sizes.width);
}

/// The positions of the blocks in an image.
struct Blocks {
  TwoSizes image, kernel, dilation, padding, stride;

  Blocks(TwoSizes image_, IntArrayRef kernel_size, IntArrayRef dilation_, IntArrayRef padding_,
         IntArrayRef stride_)
      : image(image_),
        kernel("kernel_size", kernel_size),
        dilation("dilation", dilation_),
        padding("padding", padding_),
        stride("stride", stride_) {
    check_positive("kernel size", "kernel", kernel);
    check_positive("dilation", "dilation", dilation);
    TERN_CHECK(padding.height >= 0 && padding.width >= 0, ShapeError,
               "padding should be non-negative, but got pad_height: ", padding.height,
               " pad_width: ", padding.width);
    check_positive("stride", "stride", stride);
  }

  std::int64_t area() const { return kernel.height * kernel.width; }
  TwoSizes counts() const {
    const auto count = [](std::int64_t size, std::int64_t k, std::int64_t d, std::int64_t p,
                          std::int64_t s) {
      const std::int64_t room = size + 2 * p - d * (k - 1) - 1;
      return (room >= 0 ? room / s : (room - s + 1) / s) + 1;
    };
    return {count(image.height, kernel.height, dilation.height, padding.height, stride.height),
            count(image.width, kernel.width, dilation.width, padding.width, stride.width)};
  }
};

/// Returns the part of padded images [N, C, H, W] that holds element (i, j) of every block.
Tensor elements_of_blocks(const Tensor& images, const Blocks& blocks, std::int64_t i,
                          std::int64_t j) {
  const TwoSizes counts = blocks.counts(), step = blocks.stride;
  const std::int64_t top = i * blocks.dilation.height, left = j * blocks.dilation.width;
  return images.slice(2, top, top + (counts.height - 1) * step.height + 1, step.height)
      .slice(3, left, left + (counts.width - 1) * step.width + 1, step.width);
}

/// Gives a dense tensor [N, ...] other sizes, without N if there is no `batch` dimension.
void reshape_dense(const Tensor& out, bool batch, DimVector sizes) {
  if (!batch) sizes.erase(0);
  out.self().set_geometry(0, sizes, contiguous_strides(sizes));
}

Tensor blocks_to_image(const Tensor& input, const Blocks& blocks);

/// Returns the blocks of images [N, C, H, W], where N may be missing.
Tensor image_to_blocks(const Tensor& input, const Blocks& blocks) {
  const TwoSizes counts = blocks.counts(), kernel = blocks.kernel, pad = blocks.padding;
  const bool batch = input.dim() == 4;
  const std::int64_t channels = input.size(-3);
  Tensor out;
  {
    const NoGradGuard no_grad;
    Tensor images = batch ? input : input.unsqueeze(0);
    if (pad.height != 0 || pad.width != 0) {
      images = constant_pad_nd(images, {pad.width, pad.width, pad.height, pad.height});
    }
    const IntArrayRef strides = images.strides();
    const DimVector sizes{images.size(0), channels,      kernel.height,
                          kernel.width,   counts.height, counts.width};
    out = detail::make_tensor(sizes, input.dtype(), input.device());
    out.copy_(images.as_strided(
        sizes, {strides[0], strides[1], strides[2] * blocks.dilation.height,
                strides[3] * blocks.dilation.width, strides[2] * blocks.stride.height,
                strides[3] * blocks.stride.width}));
    reshape_dense(out, batch,
                  {images.size(0), channels * blocks.area(), counts.height * counts.width});
  }
  if (!needs_grad(input)) return out;
  return record("Im2ColBackward0", out,
                wrt(input, [blocks](const Tensor& g) { return blocks_to_image(g, blocks); }));
}

/// Sums blocks [N, C * area, blocks] into images, where N may be missing.
Tensor blocks_to_image(const Tensor& input, const Blocks& blocks) {
  const TwoSizes counts = blocks.counts(), kernel = blocks.kernel, pad = blocks.padding,
                 image = blocks.image;
  const bool batch = input.dim() == 3;
  const std::int64_t count = batch ? input.size(0) : 1, channels = input.size(-2) / blocks.area();
  Tensor out;
  {
    const NoGradGuard no_grad;
    const Tensor cut =
        input.reshape({count, channels, kernel.height, kernel.width, counts.height, counts.width});
    out = input.new_zeros(
        {count, channels, image.height + 2 * pad.height, image.width + 2 * pad.width});
    for (std::int64_t i = 0; i < kernel.height; ++i) {
      for (std::int64_t j = 0; j < kernel.width; ++j) {
        elements_of_blocks(out, blocks, i, j).add_(cut.select(2, i).select(2, j));
      }
    }
    if (pad.height != 0 || pad.width != 0) {
      out = constant_pad_nd(out, {-pad.width, -pad.width, -pad.height, -pad.height});
    }
    reshape_dense(out, batch, {count, channels, image.height, image.width});
  }
  if (!needs_grad(input)) return out;
  return record("Col2ImBackward0", out,
                wrt(input, [blocks](const Tensor& g) { return image_to_blocks(g, blocks); }));
}

void check_dtype(const char* kernel, const Tensor& input) {
  TERN_CHECK(input.is_floating_point() || input.dtype() == kBool, NotImplementedError, '"', kernel,
             "\" not implemented for '", input.scalar_type(), "'");
}

/// Returns true unless a dimension other than the batch's is empty.
bool has_elements(const Tensor& input, std::int64_t dims) {
  const IntArrayRef sizes = input.sizes();
  return std::find(sizes.begin() + (input.dim() == dims ? 0 : 1), sizes.end(), 0) == sizes.end();
}

}  // namespace

Tensor im2col(const Tensor& input, IntArrayRef kernel_size, IntArrayRef dilation,
              IntArrayRef padding, IntArrayRef stride) {
  TERN_OP("im2col", input);
  TERN_CHECK((input.dim() == 3 || input.dim() == 4) && has_elements(input, 3), ShapeError,
             "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
             "dimensions for input, but got: ",
             input.sizes());
  const Blocks blocks({input.size(-2), input.size(-1)}, kernel_size, dilation, padding, stride);
  const TwoSizes counts = blocks.counts();
  TERN_CHECK(counts.height >= 1 && counts.width >= 1, ShapeError, "Given input with spatial size ",
             blocks.image, ", kernel_size=", blocks.kernel, ", dilation=", blocks.dilation,
             ", padding=", blocks.padding, ", calculated shape of the array of sliding blocks as ",
             counts, ", but its components must be at least one.");
  check_dtype("im2col_out_cpu", input);
  return image_to_blocks(input, blocks);
}

Tensor col2im(const Tensor& input, IntArrayRef output_size, IntArrayRef kernel_size,
              IntArrayRef dilation, IntArrayRef padding, IntArrayRef stride) {
  TERN_OP("col2im", input);
  TERN_CHECK((input.dim() == 2 || input.dim() == 3) && has_elements(input, 2), ShapeError,
             "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and "
             "non-zero dimensions for input, but got: ",
             input.sizes());
  const Blocks blocks(TwoSizes("output_size", output_size), kernel_size, dilation, padding, stride);
  const TwoSizes counts = blocks.counts();
  const std::int64_t rows = input.size(-2), columns = input.size(-1), dim = input.dim() - 2;
  TERN_CHECK(rows % blocks.area() == 0, ShapeError, "Expected size of input's dimension ", dim,
             " to be divisible by the product of kernel_size, but got input.size(", dim, ")=", rows,
             " and kernel_size=", blocks.kernel, ".");
  TERN_CHECK(counts.height * counts.width == columns && counts.height >= 1, ShapeError,
             "Given output_size=", blocks.image, ", kernel_size=", blocks.kernel,
             ", dilation=", blocks.dilation, ", padding=", blocks.padding,
             ", stride=", blocks.stride, ", expected size of input's dimension ", dim + 1,
             " to match the calculated number of sliding blocks ", counts.height, " * ",
             counts.width, " = ", counts.height * counts.width, ", but got input.size(", dim + 1,
             ")=", columns, ".");
  check_dtype("col2im_out_cpu", input);
  return blocks_to_image(input, blocks);
}

}  // namespace tern
