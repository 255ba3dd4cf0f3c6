#include <tern/nn/data/transforms.h>

#include <tern/core/base/error.h>

namespace tern::data::transforms::detail {

Tensor normalize(const Tensor& image, const Tensor& mean, const Tensor& stddev) {
  TERN_CHECK(image.is_floating_point(), DTypeError,
             "Normalize: Input tensor should be a float tensor. Got ", image.dtype(),
             "; convert it first, for example with transforms::ConvertImageDtype()");
  return image.sub(mean).div(stddev);
}

Tensor per_channel(ArrayRef<double> values, bool is_stddev) {
  for (const double value : values) {
    TERN_CHECK(!is_stddev || value != 0, Error,
               "Normalize: std evaluated to zero, leading to division by zero");
  }
  return tensor(values.vec(), kFloat).unsqueeze(1).unsqueeze(2);
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
