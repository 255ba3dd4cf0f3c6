#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <tern/core/base/array_ref.h>
#include <tern/nn/data/example.h>
#include <tern/nn/data/transforms.h>

namespace tern::data::datasets {

template <class Source, class Transform>
class MapDataset;

namespace detail {

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

/// A batch without the optional that a stateful dataset puts around it.
template <class T>
struct Unwrapped {
  using type = T;
};
template <class T>
struct Unwrapped<std::optional<T>> {
  using type = T;
};

}  // namespace detail

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
  /// True if the dataset decides itself what the next batch is and when an epoch ends: its batches
  /// are optionals. See StatefulDataset.
  static constexpr bool is_stateful = detail::kIsOptional<Batch>;

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

/// A source whose request is only the number of examples, for example a file that is read from
/// front to back. Override get_batch(std::size_t count). samplers::StreamSampler says how long an
/// epoch is. A loader with workers copies the dataset once per worker; use make_shared_dataset()
/// for one stream that all workers read.
template <class Self, class Batch = std::vector<Example<>>>
using StreamDataset = BatchDataset<Self, Batch, std::size_t>;

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

namespace detail {

/// The batches of a mapped dataset: optionals if those of the source are.
template <class Source, class Transform>
using MappedBatch =
    std::conditional_t<Source::is_stateful, std::optional<typename Transform::OutputBatchType>,
                       typename Transform::OutputBatchType>;

}  // namespace detail

/// A dataset that applies a transform to the batches of `Source`; made by map().
template <class Source, class Transform>
class MapDataset
    : public BatchDataset<MapDataset<Source, Transform>, detail::MappedBatch<Source, Transform>,
                          typename Source::BatchRequestType> {
  static_assert(
      std::is_convertible_v<typename detail::Unwrapped<typename Source::BatchType>::type,
                            typename Transform::InputBatchType>,
      "BatchType type of dataset does not match input type of transform: a transform of single "
      "examples comes before Stack, and its Example has the dataset's types");

 public:
  /// The types of the source and of the transform.
  using DatasetType = Source;
  using TransformType = Transform;
  /// The types of the batches that come out and of the requests.
  using OutputBatchType = detail::MappedBatch<Source, Transform>;
  using BatchRequestType = typename Source::BatchRequestType;

  /// Joins a dataset and a transform.
  MapDataset(Source source, Transform transform)
      : source_(std::move(source)), transform_(std::move(transform)) {}

  /// Returns the transformed batch of a request.
  OutputBatchType get_batch(BatchRequestType request) override {
    // One gather is faster than one small tensor per example.
    if constexpr (detail::Gathers<Source> && detail::kStacks<Transform>) {
      return source_.gather(request);
    } else if constexpr (Source::is_stateful) {
      auto batch = source_.get_batch(std::move(request));
      if (!batch) return std::nullopt;
      return transform_.apply_batch(std::move(*batch));
    } else {
      return transform_.apply_batch(source_.get_batch(std::move(request)));
    }
  }

  /// Returns the transformed example `index`, for a transform of single examples.
  auto get(std::size_t index) requires(requires(Source& source, Transform& transform) {
    transform.apply(source.get(index));
  }) {
    return transform_.apply(source_.get(index));
  }

  /// Returns the stacked batch of a request with the transform applied to it as a whole.
  auto gather(BatchRequestType request) requires(
      detail::Gathers<Source>&& detail::AppliesStacked<Transform>) {
    return transform_.apply_stacked(source_.gather(request));
  }

  /// Returns the size of the source.
  std::optional<std::size_t> size() const override { return source_.size(); }
  /// Starts an epoch of a stateful source.
  void reset() requires(Source::is_stateful) { source_.reset(); }
  /// Returns the state of a stateful source.
  auto state_dict() const requires(Source::is_stateful) { return source_.state_dict(); }
  /// Loads the state of a stateful source.
  template <class S>
  void load_state_dict(const S& state) requires(Source::is_stateful) {
    source_.load_state_dict(state);
  }
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
using datasets::StreamDataset;
}  // namespace tern::data
