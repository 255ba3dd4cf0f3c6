#pragma once

#include <string>

#include <tern/nn/data/dataset.h>

namespace tern::data::datasets {

/// The CIFAR-10 images in memory, read from the binary version of the set: data_batch_1.bin to
/// data_batch_5.bin and test_batch.bin in the folder or in cifar-10-batches-bin below it.
///
/// The images stay bytes in memory. get() and gather() return them as numbers from 0 to 1, as MNIST
/// does.
///
/// Shape: data float32 [3, 32, 32] from 0 to 1, target int64 []
class TERN_API CIFAR10 : public Dataset<CIFAR10> {
 public:
  /// The part of the set to read.
  enum class Mode { kTrain, kTest };

  /// Reads the files in the folder `root`. Throws FileError that names the file if one is missing,
  /// cut off, or has a label above 9.
  explicit CIFAR10(const std::string& root, Mode mode = Mode::kTrain);

  Example<> get(std::size_t index) override;
  /// Returns the examples of `indices`, stacked.
  Example<> gather(ArrayRef<std::size_t> indices) const;
  std::optional<std::size_t> size() const override;

  /// Returns true for the training part.
  bool is_train() const { return mode_ == Mode::kTrain; }
  /// Returns all images, uint8 [N, 3, 32, 32].
  const Tensor& images() const { return images_; }
  /// Returns all targets, int64 [N].
  const Tensor& targets() const { return targets_; }
  /// Returns the names of the ten classes.
  static const std::vector<std::string>& classes();

 private:
  Mode mode_;
  Tensor images_, targets_;
};

}  // namespace tern::data::datasets
