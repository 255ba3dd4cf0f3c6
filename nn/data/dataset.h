#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <tern/core/base/array_ref.h>
#include <tern/nn/data/example.h>
#include <tern/nn/data/transforms.h>

namespace tern::data::datasets {

template <class Source, class Transform>
class MapDataset;

/// Something that gives a batch for a request, usually for indices. `Self` is the class that
/// derives from it.
template <class Self, class Batch = std::vector<Example<>>,
          class BatchRequest = ArrayRef<std::size_t>>
class BatchDataset {
 public:
  using SelfType = Self;
  using BatchType = Batch;
  using BatchRequestType = BatchRequest;

  virtual ~BatchDataset() = default;
  virtual Batch get_batch(BatchRequest request) = 0;
  /// How many examples there are, where that is known.
  virtual std::optional<std::size_t> size() const = 0;

  /// This dataset with `transform` applied to each batch. The dataset is copied, or moved when it
  /// is a temporary.
  template <class Transform>
  MapDataset<Self, Transform> map(Transform transform) & {
    return {static_cast<Self&>(*this), std::move(transform)};
  }
  template <class Transform>
  MapDataset<Self, Transform> map(Transform transform) && {
    return {static_cast<Self&&>(*this), std::move(transform)};
  }
};

/// Something that gives one example for an index: derive from it and write get() and size().
///
/// A DataLoader with workers copies it once per worker; get() then runs on several threads, each
/// with a copy of its own.
template <class Self, class SingleExample = Example<>>
class Dataset : public BatchDataset<Self, std::vector<SingleExample>> {
 public:
  using ExampleType = SingleExample;

  virtual SingleExample get(std::size_t index) = 0;

  std::vector<SingleExample> get_batch(ArrayRef<std::size_t> indices) override {
    std::vector<SingleExample> batch;
    batch.reserve(indices.size());
    for (const std::size_t index : indices) batch.push_back(get(index));
    return batch;
  }
};

namespace detail {

/// A dataset that can fetch a stacked batch in one go: `gather(indices)` equals stacking get(i).
template <class D>
concept Gathers = requires(D& dataset, ArrayRef<std::size_t> indices) {
  dataset.gather(indices);
};

/// A transform of examples that can also run on a stacked batch.
template <class T>
concept AppliesStacked = requires {
  &T::apply_stacked;
};

template <class T>
inline constexpr bool kStacks = false;
template <class E>
inline constexpr bool kStacks<transforms::Stack<E>> = true;

}  // namespace detail

/// What `map` returns: `transform` applied to the batches of `Source`.
template <class Source, class Transform>
class MapDataset
    : public BatchDataset<MapDataset<Source, Transform>, typename Transform::OutputBatchType,
                          typename Source::BatchRequestType> {
 public:
  using OutputBatchType = typename Transform::OutputBatchType;
  using BatchRequestType = typename Source::BatchRequestType;

  MapDataset(Source source, Transform transform)
      : source_(std::move(source)), transform_(std::move(transform)) {}

  OutputBatchType get_batch(BatchRequestType request) override {
    // Stacking what lies in one tensor is one gather, not one small tensor per example.
    if constexpr (detail::Gathers<Source> && detail::kStacks<Transform>) {
      return source_.gather(request);
    } else {
      return transform_.apply_batch(source_.get_batch(std::move(request)));
    }
  }

  auto gather(BatchRequestType request) requires(
      detail::Gathers<Source>&& detail::AppliesStacked<Transform>) {
    return transform_.apply_stacked(source_.gather(request));
  }

  std::optional<std::size_t> size() const override { return source_.size(); }
  const Source& dataset() const { return source_; }
  const Transform& transform() const { return transform_; }

 private:
  Source source_;
  Transform transform_;
};

/// dataset.map(transform) as a function.
template <class Source, class Transform>
MapDataset<Source, Transform> map(Source dataset, Transform transform) {
  return {std::move(dataset), std::move(transform)};
}

}  // namespace tern::data::datasets
