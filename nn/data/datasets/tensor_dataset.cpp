#include <tern/nn/data/datasets/tensor_dataset.h>

#include <tern/core/base/error.h>
#include <tern/core/ops/create/creation.h>
#include <tern/core/ops/index/index.h>
#include <tern/core/ops/index/indexing.h>
#include <tern/core/ops/shape/join.h>

namespace tern::data::datasets {
namespace {

Tensor rows(const Tensor& tensor, ArrayRef<std::size_t> indices) {
  const std::vector<std::int64_t> signed_indices(indices.begin(), indices.end());
  return tensor.index_select(0, tern::tensor(signed_indices).to(tensor.device()));
}

void check_index(const char* dataset, std::size_t index, std::size_t count) {
  TERN_CHECK(index < count, IndexError, dataset, ": index ", index, " is out of range for ", count,
             " examples");
}

void check_examples(const char* dataset, const char* name, const Tensor& tensor) {
  TERN_CHECK(tensor.defined(), Error, dataset, ": ", name, " is an undefined tensor");
  TERN_CHECK(tensor.dim() > 0, ShapeError, dataset, ": expected ", name,
             " with at least 1 dimension, whose first counts the examples, got sizes ",
             tensor.sizes());
}

const std::vector<Tensor>& not_empty(const std::vector<Tensor>& tensors) {
  TERN_CHECK(!tensors.empty(), Error, "TensorDataset: expected at least one tensor, got none");
  return tensors;
}

}  // namespace

TensorDataset::TensorDataset(const std::vector<Tensor>& tensors)
    : TensorDataset(stack(not_empty(tensors))) {}

TensorDataset::TensorDataset(Tensor all) : tensor(std::move(all)) {
  check_examples("TensorDataset", "a tensor", tensor);
}

TensorExample TensorDataset::get(std::size_t index) {
  check_index("TensorDataset", index, *size());
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
  check_examples("PairDataset", "data", data_);
  check_examples("PairDataset", "targets", targets_);
  TERN_CHECK(
      data_.size(0) == targets_.size(0), ShapeError,
      "PairDataset: data and targets must have the same number of examples, got data of sizes ",
      data_.sizes(), " and targets of sizes ", targets_.sizes());
}

Example<> PairDataset::get(std::size_t index) {
  check_index("PairDataset", index, *size());
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
