#pragma once

#include <vector>

#include <tern/nn/data/dataset.h>

namespace tern::data::datasets {

/// Examples without a target: the slices of one tensor along its first dimension.
class TERN_API TensorDataset : public Dataset<TensorDataset, TensorExample> {
 public:
  /// Stacks the tensors along a new first dimension.
  explicit TensorDataset(const std::vector<Tensor>& tensors);
  /// Takes the slices of `tensor`. Throws ShapeError for a tensor without dimensions.
  explicit TensorDataset(Tensor tensor);

  /// Returns slice `index`.
  TensorExample get(std::size_t index) override;
  /// Returns the slices of `indices`, stacked.
  TensorExample gather(ArrayRef<std::size_t> indices) const;
  std::optional<std::size_t> size() const override;

  /// All examples.
  Tensor tensor;
};

/// Examples with a target: two tensors, paired along their first dimension.
class TERN_API PairDataset : public Dataset<PairDataset> {
 public:
  /// Pairs the slices of both tensors. Throws ShapeError unless both tensors have at least one
  /// dimension and the same first size.
  PairDataset(Tensor data, Tensor targets);

  /// Returns the pair of slices `index`.
  Example<> get(std::size_t index) override;
  /// Returns the pairs of `indices`, stacked.
  Example<> gather(ArrayRef<std::size_t> indices) const;
  std::optional<std::size_t> size() const override;

  /// Returns the data of all examples.
  const Tensor& data() const { return data_; }
  /// Returns the targets of all examples.
  const Tensor& targets() const { return targets_; }

 private:
  Tensor data_;
  Tensor targets_;
};

}  // namespace tern::data::datasets
