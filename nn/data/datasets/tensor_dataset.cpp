#include <tern/nn/data/datasets/tensor_dataset.h>

#include <tern/core/base/error.h>
#include <tern/core/ops/creation.h>
#include <tern/core/ops/index.h>
#include <tern/core/ops/join.h>

namespace tern::data::datasets {
namespace {

Tensor rows(const Tensor& tensor, ArrayRef<std::size_t> indices) {
  const std::vector<std::int64_t> signed_indices(indices.begin(), indices.end());
  return tensor.index_select(0, tern::tensor(signed_indices).to(tensor.device()));
}

}  // namespace

TensorDataset::TensorDataset(const std::vector<Tensor>& tensors) : TensorDataset(stack(tensors)) {}

TensorDataset::TensorDataset(Tensor all) : tensor(std::move(all)) {
  TERN_CHECK(tensor.dim() > 0, ShapeError,
             "TensorDataset: expected a tensor with at least 1 dimension, got sizes ",
             tensor.sizes());
}

TensorExample TensorDataset::get(std::size_t index) {
  return tensor[static_cast<std::int64_t>(index)];
}

TensorExample TensorDataset::gather(ArrayRef<std::size_t> indices) const {
  return rows(tensor, indices);
}

std::optional<std::size_t> TensorDataset::size() const {
  return static_cast<std::size_t>(tensor.size(0));
}

PairDataset::PairDataset(Tensor data, Tensor targets)
    : data_(std::move(data)), targets_(std::move(targets)) {
  TERN_CHECK(
      data_.dim() > 0 && targets_.dim() > 0 && data_.size(0) == targets_.size(0), ShapeError,
      "PairDataset: data and targets must have the same number of examples, got data of sizes ",
      data_.sizes(), " and targets of sizes ", targets_.sizes());
}

Example<> PairDataset::get(std::size_t index) {
  const auto i = static_cast<std::int64_t>(index);
  return {data_[i], targets_[i]};
}

Example<> PairDataset::gather(ArrayRef<std::size_t> indices) const {
  return {rows(data_, indices), rows(targets_, indices)};
}

std::optional<std::size_t> PairDataset::size() const {
  return static_cast<std::size_t>(data_.size(0));
}

}  // namespace tern::data::datasets
