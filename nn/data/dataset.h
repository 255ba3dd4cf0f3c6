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

/// A source that returns a batch for a request, usually a list of indices. `Self` is the derived
/// class.
template <class Self, class Batch = std::vector<Example<>>,
          class BatchRequest = ArrayRef<std::size_t>>
class BatchDataset {
 public:
  /// The derived class, its batches, and the requests that it accepts.
  using SelfType = Self;
  using BatchType = Batch;
  using BatchRequestType = BatchRequest;

  /// Frees the dataset.
  virtual ~BatchDataset() = default;
  /// Returns the batch of a request.
  virtual Batch get_batch(BatchRequest request) = 0;
  /// Returns the number of examples, or nullopt if it is unknown.
  virtual std::optional<std::size_t> size() const = 0;

  /// Returns this dataset with `transform` applied to each batch. The dataset is copied, or moved
  /// if it is a temporary.
  template <class Transform>
  MapDataset<Self, Transform> map(Transform transform) & {
    return {static_cast<Self&>(*this), std::move(transform)};
  }
  template <class Transform>
  MapDataset<Self, Transform> map(Transform transform) && {
    return {static_cast<Self&&>(*this), std::move(transform)};
  }
};

/// A source that returns one example for an index: derive from it and write get() and size().
///
/// A DataLoader with workers copies the dataset once per worker. get() then runs on several
/// threads, each with its own copy.
///
/// Example:
///   struct Squares : data::Dataset<Squares> {
///     data::Example<> get(std::size_t i) override {
///       const double x = static_cast<double>(i);
///       return {tern::tensor(x), tern::tensor(x * x)};
///     }
///     std::optional<std::size_t> size() const override { return 100; }
///   };
template <class Self, class SingleExample = Example<>>
class Dataset : public BatchDataset<Self, std::vector<SingleExample>> {
 public:
  /// The type of an example.
  using ExampleType = SingleExample;

  /// Returns example `index`, which is below size().
  virtual SingleExample get(std::size_t index) = 0;

  /// Returns get() of every index.
  std::vector<SingleExample> get_batch(ArrayRef<std::size_t> indices) override {
    std::vector<SingleExample> batch;
    batch.reserve(indices.size());
    for (const std::size_t index : indices) batch.push_back(get(index));
    return batch;
  }
};

namespace detail {

/// A dataset that can fetch a stacked batch in one step: `gather(indices)` equals stacking get(i).
template <class D>
concept Gathers = requires(D& dataset, ArrayRef<std::size_t> indices) {
  dataset.gather(indices);
};

/// A transform of examples that can also process a stacked batch.
template <class T>
concept AppliesStacked = requires {
  &T::apply_stacked;
};

template <class T>
inline constexpr bool kStacks = false;
template <class E>
inline constexpr bool kStacks<transforms::Stack<E>> = true;

}  // namespace detail

/// A dataset that applies a transform to the batches of `Source`; made by map().
template <class Source, class Transform>
class MapDataset
    : public BatchDataset<MapDataset<Source, Transform>, typename Transform::OutputBatchType,
                          typename Source::BatchRequestType> {
 public:
  /// The types of the batches that come out and of the requests.
  using OutputBatchType = typename Transform::OutputBatchType;
  using BatchRequestType = typename Source::BatchRequestType;

  /// Joins a dataset and a transform.
  MapDataset(Source source, Transform transform)
      : source_(std::move(source)), transform_(std::move(transform)) {}

  /// Returns the transformed batch of a request.
  OutputBatchType get_batch(BatchRequestType request) override {
    // One gather is faster than one small tensor per example.
    if constexpr (detail::Gathers<Source> && detail::kStacks<Transform>) {
      return source_.gather(request);
    } else {
      return transform_.apply_batch(source_.get_batch(std::move(request)));
    }
  }

  /// Returns the stacked batch of a request with the transform applied to it as a whole.
  auto gather(BatchRequestType request) requires(
      detail::Gathers<Source>&& detail::AppliesStacked<Transform>) {
    return transform_.apply_stacked(source_.gather(request));
  }

  /// Returns the size of the source.
  std::optional<std::size_t> size() const override { return source_.size(); }
  /// Returns the source.
  const Source& dataset() const { return source_; }
  /// Returns the transform.
  const Transform& transform() const { return transform_; }

 private:
  Source source_;
  Transform transform_;
};

/// Returns `dataset` with `transform` applied to each batch; the same as dataset.map(transform).
template <class Source, class Transform>
MapDataset<Source, Transform> map(Source dataset, Transform transform) {
  return {std::move(dataset), std::move(transform)};
}

}  // namespace tern::data::datasets

namespace tern::data {
using datasets::BatchDataset;
using datasets::Dataset;
}  // namespace tern::data
