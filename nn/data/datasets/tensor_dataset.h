#pragma once

#include <vector>

#include <tern/nn/data/dataset.h>

namespace tern::data::datasets {

/// Examples without a target: the slices of one tensor along its first dimension.
class TERN_API TensorDataset : public Dataset<TensorDataset, TensorExample> {
 public:
  /// Stacks the tensors.
  explicit TensorDataset(const std::vector<Tensor>& tensors);
  /// Throws ShapeError for a tensor without dimensions.
  explicit TensorDataset(Tensor tensor);

  TensorExample get(std::size_t index) override;
  TensorExample gather(ArrayRef<std::size_t> indices) const;
  std::optional<std::size_t> size() const override;

  Tensor tensor;
};

/// Examples with a target: two tensors, paired along their first dimension.
class TERN_API PairDataset : public Dataset<PairDataset> {
 public:
  /// Throws ShapeError unless both have dimensions and the first ones agree.
  PairDataset(Tensor data, Tensor targets);

  Example<> get(std::size_t index) override;
  /// The examples that `indices` name, stacked.
  Example<> gather(ArrayRef<std::size_t> indices) const;
  std::optional<std::size_t> size() const override;

  const Tensor& data() const { return data_; }
  const Tensor& targets() const { return targets_; }

 private:
  Tensor data_;
  Tensor targets_;
};

}  // namespace tern::data::datasets
