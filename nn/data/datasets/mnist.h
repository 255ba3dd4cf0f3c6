#pragma once

#include <string>
#include <utility>

#include <tern/nn/data/datasets/tensor_dataset.h>

namespace tern::data::datasets {

/// The MNIST digits, or any set in the same four files (see read_idx_images()), in memory. Other
/// image sizes are kept.
///
/// Shape: data float32 [N, 1, 28, 28] from 0 to 1, targets int64 [N]
class TERN_API MNIST : public PairDataset {
 public:
  /// The part of the set to read.
  enum class Mode { kTrain, kTest };
  /// The class whose copies map() takes.
  using SelfType = MNIST;

  /// Reads the files in the folder `root`. Throws FileError.
  explicit MNIST(const std::string& root, Mode mode = Mode::kTrain);

  /// Returns this dataset with `transform` applied to each batch; see BatchDataset::map().
  template <class Transform>
  MapDataset<MNIST, Transform> map(Transform transform) const {
    return {*this, std::move(transform)};
  }

  /// Returns true for the training part.
  bool is_train() const { return mode_ == Mode::kTrain; }
  /// Returns all images.
  const Tensor& images() const { return data(); }

 private:
  Mode mode_;
};

}  // namespace tern::data::datasets
