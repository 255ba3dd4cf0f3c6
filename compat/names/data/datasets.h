#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <tern/compat/names/data/samplers.h>
#include <tern/nn/data/datasets/chunk.h>

namespace torch::data {

namespace datasets {

using ::tern::data::datasets::ChunkDataReader;
using ::tern::data::datasets::ChunkDatasetOptions;

/// A dataset that decides itself which examples come next; see
/// tern::data::datasets::StatefulDataset.
template <class Self, class Batch = std::vector<Example<>>, class BatchRequest = std::size_t>
class StatefulDataset : public ::tern::data::datasets::StatefulDataset<Self, Batch, BatchRequest> {
 public:
  /// Writes the position in the epoch.
  virtual void save(serialize::OutputArchive& archive) const = 0;
  /// Continues at the position of an archive.
  virtual void load(serialize::InputArchive& archive) = 0;
};

/// A stateful dataset that reads chunks ahead on threads of its own; see
/// tern::data::datasets::ChunkDataset.
template <class ChunkReader, class ChunkSampler = samplers::RandomSampler,
          class ExampleSampler = samplers::RandomSampler>
class ChunkDataset final
    : public ::tern::data::datasets::ChunkDataset<ChunkReader, ChunkSampler, ExampleSampler> {
  using Base = ::tern::data::datasets::ChunkDataset<ChunkReader, ChunkSampler, ExampleSampler>;

 public:
  /// The type of a batch; nullopt at the end of an epoch.
  using BatchType = std::optional<typename ChunkReader::BatchType>;

  using Base::Base;

  /// Returns the next batch. Throws the WorkerException of this namespace if the reader threw.
  BatchType get_batch(std::size_t batch_size) override {
    try {
      return Base::get_batch(batch_size);
    } catch (const ::tern::data::WorkerException& error) {
      throw WorkerException(error.original_exception);
    }
  }
  using Base::get_batch;

  /// Writes the sampler of chunks, at the first chunk that was not given completely.
  void save(serialize::OutputArchive& archive) const { this->sampler_of_rest().save(archive); }
  /// Reads the sampler of chunks; the next reset() continues with it.
  void load(serialize::InputArchive& archive) {
    ChunkSampler sampler = this->sampler_of_rest();
    sampler.load(archive);
    this->continue_with(std::move(sampler));
  }
};

}  // namespace datasets

namespace transforms {

/// Returns (input - mean) / stddev of any tensor, with mean and stddev of the shape [C, 1, 1].
template <class Target = ::tern::Tensor>
struct Normalize : ::tern::data::transforms::Normalize<Target> {
  /// Sets the statistics, unchecked.
  Normalize(::tern::ArrayRef<double> means, ::tern::ArrayRef<double> stddevs)
      : ::tern::data::transforms::Normalize<Target>(0.0, 1.0) {
    const auto per_channel = [](::tern::ArrayRef<double> values) {
      return ::tern::tensor(values.vec(), ::tern::kFloat).unsqueeze(1).unsqueeze(2);
    };
    this->mean = per_channel(means);
    this->stddev = per_channel(stddevs);
  }
  /// Returns the normalised tensor.
  ::tern::Tensor operator()(::tern::Tensor input) override {
    return input.sub(this->mean).div(this->stddev);
  }
};

}  // namespace transforms

}  // namespace torch::data
