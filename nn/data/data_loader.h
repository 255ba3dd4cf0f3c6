#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <tern/core/base/error.h>
#include <tern/nn/data/data_loader_base.h>
#include <tern/nn/data/dataset.h>
#include <tern/nn/data/pin_memory.h>
#include <tern/nn/data/samplers.h>
#include <tern/nn/data/worker_exception.h>

namespace tern::data {

namespace detail {

/// The functions that a DataLoader calls on a dataset.
template <class D>
concept BatchSource = requires(D& dataset) {
  typename D::BatchType;
  typename D::BatchRequestType;
  dataset.size();
};

/// What a DataLoader calls on a sampler.
template <class S>
concept SamplerLike = requires {
  typename S::BatchRequestType;
};

/// True for datasets that decide themselves what comes next; see StatefulDataset.
template <class D>
inline constexpr bool kIsStateful = false;
template <BatchSource D>
inline constexpr bool kIsStateful<D> = datasets::detail::kIsOptional<typename D::BatchType>;

/// Fetches a batch, in pinned memory if `pins`.
template <class Dataset, class Request>
auto fetch(Dataset& dataset, const Request& request, bool pins) {
  auto batch = dataset.get_batch(request);
  if (pins) detail::pin(batch);
  return batch;
}

}  // namespace detail

/// Iterates over the batches of a dataset, epoch by epoch. make_data_loader() makes a loader, and
/// every begin() starts an epoch. The state of a loader can be saved and loaded like the state of a
/// module, so training can continue in the middle of an epoch.
///
/// With workers, threads fetch batches ahead, and each thread has its own copy of the dataset. The
/// number and the order of the batches stay the same, and so do the numbers that transforms draw
/// from worker_generator(). An exception in a worker is rethrown as WorkerException; the epoch can
/// continue behind the bad batch.
///
/// Example:
///   auto loader = make_data_loader(datasets::MNIST(root).map(transforms::Stack<>()), 64);
///   for (Example<>& batch : *loader) train(batch.data, batch.target);
template <class Dataset, class Sampler>
class DataLoader : public DataLoaderBase<typename Dataset::BatchType> {
  static_assert(std::is_convertible_v<const typename Sampler::BatchRequestType&,
                                      typename Dataset::BatchRequestType>,
                "The sampler's requests do not fit the dataset: a StreamDataset, which takes a "
                "number of examples, needs samplers::StreamSampler, other datasets a sampler of "
                "indices.");

 public:
  /// The types of a batch and of a request to the dataset.
  using BatchType = typename Dataset::BatchType;
  using BatchRequestType = typename Sampler::BatchRequestType;

  /// Joins a dataset, a sampler and options; see make_data_loader(). Throws Error for a batch size
  /// of 0, for workers with max_jobs 0, and for workers with a dataset that cannot be copied.
  DataLoader(Dataset dataset, Sampler sampler, DataLoaderOptions options)
      : DataLoaderBase<BatchType>(options),
        sampler_(std::move(sampler)),
        pins_(options.pin_memory() && detail::can_pin()) {
    datasets_.reserve(this->copies());
    if constexpr (std::is_copy_constructible_v<Dataset>) {
      while (datasets_.size() + 1 < this->copies()) datasets_.push_back(dataset);
    } else if (this->copies() > 1) {
      detail::raise_not_copyable();
    }
    datasets_.push_back(std::move(dataset));
    this->start();
  }
  /// Ends the worker threads.
  ~DataLoader() override { this->join(); }

  /// Returns the sampler, for example to set the epoch of a DistributedSampler. Change it between
  /// epochs alone.
  Sampler& sampler() { return sampler_; }

 private:
  using typename detail::LoaderCore::AnyBatch;
  using typename detail::LoaderCore::Fetch;

  void reset() override { sampler_.reset(); }
  Fetch next_fetch(std::size_t& examples) override {
    const std::size_t batch_size = this->options().batch_size();
    std::optional<BatchRequestType> request = sampler_.next(batch_size);
    if (!request || (this->options().drop_last() && request->size() < batch_size)) return nullptr;
    examples = request->size();
    if constexpr (std::is_same_v<BatchRequestType, std::vector<std::size_t>>) {
      detail::check_indices(*request, datasets_[0].size());
    }
    return [this, request = std::move(*request)](std::size_t worker) -> AnyBatch {
      return std::make_shared<BatchType>(detail::fetch(datasets_[worker], request, pins_));
    };
  }
  State source_state(std::size_t given) const override { return sampler_.state_dict(given); }
  void load_source_state(const State& state, bool) override { sampler_.load_state_dict(state); }

  Sampler sampler_;
  std::vector<Dataset> datasets_;  // one per worker
  bool pins_;
};

/// libtorch's name of the same class.
template <class Dataset, class Sampler>
using StatelessDataLoader = DataLoader<Dataset, Sampler>;

/// Iterates over the batches of a stateful dataset, which decides itself what comes next. All
/// workers share the dataset. Otherwise like DataLoader.
template <class Dataset>
class StatefulDataLoader
    : public DataLoaderBase<
          typename datasets::detail::Unwrapped<typename Dataset::BatchType>::type> {
 public:
  /// The types of a batch and of a request to the dataset.
  using BatchType = typename Dataset::BatchType::value_type;
  using BatchRequestType = typename Dataset::BatchRequestType;

  /// Joins a dataset and options; see make_data_loader().
  StatefulDataLoader(Dataset dataset, DataLoaderOptions options)
      : DataLoaderBase<BatchType>(options),
        dataset_(std::move(dataset)),
        pins_(options.pin_memory() && detail::can_pin()) {
    this->start();
  }
  /// Ends the worker threads.
  ~StatefulDataLoader() override { this->join(); }

 private:
  using typename detail::LoaderCore::AnyBatch;
  using typename detail::LoaderCore::Fetch;

  void reset() override { dataset_.reset(); }
  Fetch next_fetch(std::size_t& examples) override {
    examples = this->options().batch_size();
    return [this, count = examples](std::size_t) -> AnyBatch {
      auto batch = dataset_.get_batch(count);
      if (!batch) return nullptr;
      if constexpr (requires { batch->size(); }) {
        if (this->options().drop_last() && batch->size() < count) return nullptr;
      }
      if (pins_) detail::pin(*batch);
      return std::make_shared<BatchType>(std::move(*batch));
    };
  }
  State source_state(std::size_t given) const override {
    TERN_CHECK(this->options().workers() == 0, Error,
               "DataLoader: the state of a stateful dataset needs workers(0), because workers read "
               "ahead");
    State state;
    state.insert("index", given);
    state.insert("dataset", dataset_.state_dict());
    return state;
  }
  void load_source_state(const State& state, bool in_epoch) override {
    // At the end of an epoch the next one begins at the front.
    if (in_epoch) dataset_.load_state_dict(state["dataset"]);
  }
  void resume() override { dataset_.reset(); }

  Dataset dataset_;
  bool pins_;
};

// Below a using-directive, argument-dependent lookup does not find them. So a call finds the
// functions of compat, which are named the same, where a program means those.
namespace loaders {

/// Returns a loader of `dataset` in the order of `sampler`.
///
/// Example:
///   auto loader = make_data_loader(dataset, samplers::WeightedRandomSampler(weights, 1000), 64);
template <class Dataset, detail::SamplerLike Sampler>
std::unique_ptr<DataLoader<Dataset, Sampler>> make_data_loader(Dataset dataset, Sampler sampler,
                                                               DataLoaderOptions options) {
  return std::make_unique<DataLoader<Dataset, Sampler>>(std::move(dataset), std::move(sampler),
                                                        options);
}

/// Returns a loader of `dataset`, shuffled unless another sampler is given. Throws Error if the
/// dataset has no size.
///
/// Example:
///   auto train = make_data_loader(dataset, 64);
///   auto test = make_data_loader<samplers::SequentialSampler>(dataset, 1000);
template <class Sampler = samplers::RandomSampler, class Dataset>
requires(!detail::kIsStateful<Dataset>)
    std::unique_ptr<DataLoader<Dataset, Sampler>> make_data_loader(Dataset dataset,
                                                                   DataLoaderOptions options = {}) {
  static_assert(detail::BatchSource<Dataset>,
                "A DataLoader needs a dataset: a class that derives from tern::data::Dataset, as "
                "in struct Own : data::Dataset<Own>, and overrides get(std::size_t) and size().");
  const std::size_t size = detail::size_for_sampler(dataset.size());
  return make_data_loader(std::move(dataset), Sampler(static_cast<std::int64_t>(size)), options);
}

/// Returns a loader of a stateful dataset, which needs no sampler.
template <class Dataset>
requires(detail::kIsStateful<Dataset>)
    std::unique_ptr<StatefulDataLoader<Dataset>> make_data_loader(Dataset dataset,
                                                                  DataLoaderOptions options = {}) {
  return std::make_unique<StatefulDataLoader<Dataset>>(std::move(dataset), options);
}

}  // namespace loaders

using namespace loaders;  // NOLINT(google-build-using-namespace)

}  // namespace tern::data
