#include <tern/train/picture/image.h>

#include <algorithm>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/base/detail/op_scope.h>
#include <tern/core/ops/ops.h>
#include <tern/serialization/save_bytes.h>
#include <tern/train/picture/detail/check_name.h>
#include <tern/train/picture/detail/png.h>

namespace tern::train {
namespace {

void check_options(const GridOptions& options) {
  TERN_CHECK(options.nrow() >= 1, Error, "make_grid: nrow must be at least 1, got ",
             options.nrow());
  TERN_CHECK(options.padding() >= 0, Error, "make_grid: padding must be at least 0, got ",
             options.padding());
  const auto& range = options.value_range();
  TERN_CHECK(!range || range->first <= range->second, Error,
             "make_grid: value_range must go from low to high, got ", range ? range->first : 0,
             " and ", range ? range->second : 0);
}

/// Returns a batch [N, C, H, W] in which grey images have three channels.
Tensor as_batch(const Tensor& images) {
  TERN_CHECK(images.defined(), Error, "make_grid: expected a tensor, got an undefined one");
  TERN_CHECK(images.dim() >= 2 && images.dim() <= 4, ShapeError,
             "make_grid: expected images [H, W], [C, H, W] or [N, C, H, W], got sizes ",
             images.sizes());
  TERN_CHECK(images.numel() > 0, ShapeError,
             "make_grid: expected at least one image and one pixel, got sizes ", images.sizes());
  Tensor batch = images.detach();
  while (batch.dim() < 4) batch = batch.unsqueeze(0);
  return batch.size(1) == 1 ? batch.expand({-1, 3, -1, -1}) : batch;
}

/// Maps the range to 0 to 1, in place.
void normalize_(const Tensor& images, const std::optional<ValueRange>& range) {
  const double low = range ? range->first : images.min().item<double>();
  const double high = range ? range->second : images.max().item<double>();
  images.clamp_(low, high).sub_(low).div_(std::max(high - low, 1e-5));
}

Tensor normalized(const Tensor& batch, const GridOptions& options) {
  TERN_CHECK(batch.is_floating_point(), DTypeError,
             "make_grid: normalize needs a floating dtype, got ", batch.scalar_type());
  Tensor result = batch.clone();
  if (!options.scale_each()) {
    normalize_(result, options.value_range());
  } else {
    for (std::int64_t i = 0; i < result.size(0); ++i) {
      normalize_(result.select(0, i), options.value_range());
    }
  }
  return result;
}

}  // namespace

Tensor make_grid(const Tensor& images, const GridOptions& options) {
  const NoGradGuard no_grad;
  check_options(options);
  Tensor batch = as_batch(images);
  if (options.normalize()) batch = normalized(batch, options);
  const std::int64_t count = batch.size(0), padding = options.padding();
  if (count == 1) return batch.squeeze(0).clone();
  const std::int64_t across = std::min(options.nrow(), count);
  const std::int64_t down = (count + across - 1) / across;
  const std::int64_t height = batch.size(2) + padding, width = batch.size(3) + padding;
  Tensor grid = full({batch.size(1), height * down + padding, width * across + padding},
                     options.pad_value(), batch.options());
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t top = i / across * height + padding, left = i % across * width + padding;
    grid.narrow(1, top, batch.size(2)).narrow(2, left, batch.size(3)).copy_(batch.select(0, i));
  }
  return grid;
}

Tensor make_grid(TensorList images, const GridOptions& options) {
  const tern::detail::OpScope scope("make_grid");
  TERN_CHECK(images.size() > 0, ShapeError, "expected at least one image, got none");
  return make_grid(stack(images), options);
}

namespace {

void save_png(const Tensor& grid, const std::string& path) {
  TERN_CHECK(grid.size(0) != 2, ShapeError,
             "save_image: expected images of 1, 3 or 4 channels, got 2; grey images are "
             "[N, 1, H, W]");
  save_bytes(detail::encode_png(grid, "save_image").bytes, path);
}

}  // namespace

void save_image(const Tensor& images, const std::string& path, const GridOptions& options) {
  detail::check_name("save_image", path, ".png");
  save_png(make_grid(images, options), path);
}

void save_image(TensorList images, const std::string& path, const GridOptions& options) {
  detail::check_name("save_image", path, ".png");
  save_png(make_grid(images, options), path);
}

}  // namespace tern::train
