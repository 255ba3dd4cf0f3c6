#pragma once

#include <memory>
#include <utility>

#include <tern/nn/data/dataset.h>

namespace tern::data::datasets {

/// A handle of a dataset: all copies, and so all workers of a loader, use the same object. The
/// object must be thread-safe if there is more than one worker. make_shared_dataset() makes one.
template <class Underlying>
class SharedBatchDataset
    : public BatchDataset<SharedBatchDataset<Underlying>, typename Underlying::BatchType,
                          typename Underlying::BatchRequestType> {
 public:
  /// The types of the batches and of the requests.
  using BatchType = typename Underlying::BatchType;
  using BatchRequestType = typename Underlying::BatchRequestType;

  /// Shares `dataset`.
  SharedBatchDataset(std::shared_ptr<Underlying> dataset) : dataset_(std::move(dataset)) {}

  /// Returns the batch of the shared object.
  BatchType get_batch(BatchRequestType request) override {
    return dataset_->get_batch(std::move(request));
  }
  std::optional<std::size_t> size() const override { return dataset_->size(); }
  /// Returns example `index` of the shared object.
  auto get(std::size_t index) requires(requires(Underlying& dataset) { dataset.get(index); }) {
    return dataset_->get(index);
  }

  /// Returns the shared object.
  Underlying& operator*() { return *dataset_; }
  const Underlying& operator*() const { return *dataset_; }
  /// Accesses the shared object.
  Underlying* operator->() { return dataset_.get(); }
  const Underlying* operator->() const { return dataset_.get(); }

  /// Starts an epoch of the shared object.
  void reset() requires(requires(Underlying& dataset) { dataset.reset(); }) { dataset_->reset(); }
  /// Returns the state of the shared object.
  auto state_dict() const requires(Underlying::is_stateful) { return dataset_->state_dict(); }
  /// Loads a state into the shared object.
  template <class S>
  void load_state_dict(const S& state) requires(Underlying::is_stateful) {
    dataset_->load_state_dict(state);
  }

 private:
  std::shared_ptr<Underlying> dataset_;
};

/// Makes a dataset that all workers share, from the arguments of its constructor. Also for datasets
/// that cannot be copied.
///
/// Example:
///   auto dataset = datasets::make_shared_dataset<Squares>(100);
template <class Underlying, class... Args>
SharedBatchDataset<Underlying> make_shared_dataset(Args&&... args) {
  return std::make_shared<Underlying>(std::forward<Args>(args)...);
}

}  // namespace tern::data::datasets
