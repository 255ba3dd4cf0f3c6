#include <tern/nn/data/datasets/mnist.h>

#include <algorithm>

#include <tern/core/ops/creation.h>
#include <tern/nn/data/digits.h>
#include <tern/nn/data/idx.h>

namespace tern::data::datasets {
namespace {

PairDataset from_bytes(const std::vector<std::uint8_t>& pixels, IntArrayRef sizes,
                       const std::vector<std::uint8_t>& labels) {
  Tensor images = empty(sizes, TensorOptions(kFloat).device(kCPU));
  std::transform(pixels.begin(), pixels.end(), images.data_ptr<float>(),
                 [](std::uint8_t pixel) { return static_cast<float>(pixel) / 255.0F; });
  Tensor targets = empty(sizes[0], TensorOptions(kLong).device(kCPU));
  std::copy(labels.begin(), labels.end(), targets.data_ptr<std::int64_t>());
  return {images, targets};
}

PairDataset read(const std::string& root, bool train) {
  const IdxImages set = read_idx_images(root, train);
  const std::vector<std::int64_t>& sizes = set.images.sizes;
  return from_bytes(set.images.values, {sizes[0], 1, sizes[1], sizes[2]}, set.labels.values);
}

PairDataset draw(std::int64_t count, std::uint64_t seed) {
  const DigitImages digits = draw_digits(count, seed);
  return from_bytes(digits.pixels, {count, 1, kDigitSize, kDigitSize}, digits.labels);
}

}  // namespace

MNIST::MNIST(const std::string& root, Mode mode)
    : PairDataset(read(root, mode == Mode::kTrain)), mode_(mode) {}

Digits::Digits(std::int64_t count, std::uint64_t seed) : PairDataset(draw(count, seed)) {}

}  // namespace tern::data::datasets
