#include <tern/nn/data/transforms.h>

#include <algorithm>
#include <cmath>

#include <tern/core/base/error.h>

namespace tern::data::transforms::detail {

void check_function(const char* transform, bool is_set) {
  TERN_CHECK(is_set, Error, transform, ": expected a function, got an empty one");
}

Tensor normalize(const Tensor& image, const Tensor& mean, const Tensor& stddev) {
  TERN_CHECK(image.defined(), Error, "Normalize: the image is an undefined tensor");
  TERN_CHECK(image.is_floating_point(), DTypeError,
             "Normalize: Input tensor should be a float tensor. Got ", image.scalar_type(),
             "; convert it first, for example with transforms::ConvertImageDtype()");
  TERN_CHECK(image.dim() >= 3, ShapeError,
             "Normalize: Expected tensor to be a tensor image of size (..., C, H, W), got sizes ",
             image.sizes());
  const std::int64_t channels = std::max(mean.size(0), stddev.size(0));
  TERN_CHECK(channels == 1 || image.size(-3) == channels, ShapeError,
             "Normalize: the statistics are for ", channels, " channels, but the image has ",
             image.size(-3), ", its sizes are ", image.sizes(),
             image.size(-1) == channels ? "; channels come first: use permute({2, 0, 1})" : "");
  return image.sub(mean).div(stddev);
}

Tensor per_channel(ArrayRef<double> values, bool is_stddev) {
  for (const double value : values) {
    TERN_CHECK(!is_stddev || value != 0, Error,
               "Normalize: std evaluated to zero, leading to division by zero");
    TERN_CHECK(std::isfinite(value) && (!is_stddev || value > 0), Error, "Normalize: expected a ",
               is_stddev ? "positive standard deviation" : "finite mean", ", got ", value);
  }
  return tensor(values.vec(), kFloat).unsqueeze(1).unsqueeze(2);
}

void check_statistics(const Tensor& mean, const Tensor& stddev) {
  const std::int64_t means = mean.size(0), stddevs = stddev.size(0);
  TERN_CHECK(means > 0 && stddevs > 0 && (means == stddevs || means == 1 || stddevs == 1), Error,
             "Normalize: expected as many means as standard deviations, got ", means, " and ",
             stddevs);
}

Tensor stack_examples(const std::vector<Tensor>& tensors) {
  for (std::size_t i = 1; i < tensors.size(); ++i) {
    TERN_CHECK(
        !tensors[i].defined() || !tensors[0].defined() || tensors[i].sizes() == tensors[0].sizes(),
        ShapeError, "stack expects each tensor to be equal size, but got ", tensors[0].sizes(),
        " at entry 0 and ", tensors[i].sizes(), " at entry ", i,
        "; bring the examples to one size before Stack, for example with "
        "transforms::Resize, CenterCrop or Pad");
  }
  return stack(tensors);
}

}  // namespace tern::data::transforms::detail
