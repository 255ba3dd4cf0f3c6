#pragma once

#include <string>

#include <tern/nn/data/datasets/tensor_dataset.h>

namespace tern::data::datasets {

/// The MNIST digits, or any set in the same four files (see read_idx_images), held in memory.
///
/// Images: float32 {N, 1, 28, 28}, from 0 to 1; targets: int64 {N}. Other image sizes are kept.
class TERN_API MNIST : public PairDataset {
 public:
  enum class Mode { kTrain, kTest };

  /// Reads the files of `root`. Throws FileError.
  explicit MNIST(const std::string& root, Mode mode = Mode::kTrain);

  bool is_train() const { return mode_ == Mode::kTrain; }
  const Tensor& images() const { return data(); }

 private:
  Mode mode_;
};

/// Digits that draw_digits makes from a seed: the shapes of MNIST without its files. Take another
/// seed for the test set.
class TERN_API Digits : public PairDataset {
 public:
  explicit Digits(std::int64_t count = 10000, std::uint64_t seed = 1);

  const Tensor& images() const { return data(); }
};

}  // namespace tern::data::datasets
