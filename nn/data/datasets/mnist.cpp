#include <tern/nn/data/datasets/mnist.h>

#include <algorithm>

#include <tern/core/ops/create/creation.h>
#include <tern/nn/data/idx.h>

namespace tern::data::datasets {
namespace {

PairDataset read(const std::string& root, bool train) {
  const IdxImages set = read_idx_images(root, train);
  const std::vector<std::int64_t>& sizes = set.images.sizes;
  Tensor images = empty({sizes[0], 1, sizes[1], sizes[2]}, TensorOptions(kFloat).device(kCPU));
  std::transform(set.images.values.begin(), set.images.values.end(), images.data_ptr<float>(),
                 [](std::uint8_t pixel) { return static_cast<float>(pixel) / 255.0F; });
  Tensor targets = empty(sizes[0], TensorOptions(kLong).device(kCPU));
  std::copy(set.labels.values.begin(), set.labels.values.end(), targets.data_ptr<std::int64_t>());
  return {images, targets};
}

}  // namespace

MNIST::MNIST(const std::string& root, Mode mode)
    : PairDataset(read(root, mode == Mode::kTrain)), mode_(mode) {}

}  // namespace tern::data::datasets
