#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <tern/nn/data/datasets/stateful.h>
#include <tern/nn/data/samplers.h>

namespace tern::data::datasets {

/// Reads a large set in chunks, for example one file each. Override the three functions.
/// read_chunk() runs on several threads at once if the dataset has several preloaders.
template <class Example_, class Chunk = std::vector<Example_>>
class ChunkDataReader {
 public:
  /// The types of a chunk, of a batch and of an example.
  using ChunkType = Chunk;
  using BatchType = Chunk;
  using ExampleType = Example_;

  /// Frees the reader.
  virtual ~ChunkDataReader() = default;
  /// Returns all examples of a chunk. An empty chunk is skipped.
  virtual Chunk read_chunk(std::size_t chunk_index) = 0;
  /// Returns the number of chunks.
  virtual std::size_t chunk_count() = 0;
  /// Starts an epoch.
  virtual void reset() = 0;
};

/// Options of a ChunkDataset. The setters return the options. Throws Error for a count of 0 and for
/// a cache smaller than a batch.
class TERN_API ChunkDatasetOptions {
 public:
  /// Sets all options.
  ChunkDatasetOptions(StrictInteger<std::size_t> preloader_count,
                      StrictInteger<std::size_t> batch_size,
                      StrictInteger<std::size_t> cache_size = 2048,
                      StrictInteger<std::size_t> cross_chunk_shuffle_count = 1);

  /// The number of threads that read chunks ahead.
  ChunkDatasetOptions& preloader_count(StrictInteger<std::size_t> count);
  std::size_t preloader_count() const { return preloader_count_; }
  /// The number of examples in a batch; the same as the loader's.
  ChunkDatasetOptions& batch_size(StrictInteger<std::size_t> count);
  std::size_t batch_size() const { return batch_size_; }
  /// The number of examples from which on no more chunks are read ahead; 2048 by default.
  ChunkDatasetOptions& cache_size(StrictInteger<std::size_t> count);
  std::size_t cache_size() const { return cache_size_; }
  /// The number of chunks that are read together, so that their examples are shuffled together; 1
  /// by default.
  ChunkDatasetOptions& cross_chunk_shuffle_count(StrictInteger<std::size_t> count);
  std::size_t cross_chunk_shuffle_count() const { return cross_chunk_shuffle_count_; }

 private:
  void check() const;

  std::size_t preloader_count_, batch_size_, cache_size_, cross_chunk_shuffle_count_;
};

namespace detail {

/// The threads and the queue of a ChunkDataset. It knows chunks only as pointers and counts.
class TERN_API ChunkQueue {
 public:
  /// Chunks that were read together, and the number of their examples.
  struct Part {
    std::shared_ptr<void> chunk;
    std::size_t size = 0;
  };
  /// Reads chunks.
  using Read = std::function<Part(const std::vector<std::size_t>& chunks)>;
  /// Examples of one part.
  struct Piece {
    std::shared_ptr<void> chunk;
    std::vector<std::size_t> examples;
  };
  /// A batch: pieces of parts, one after the other.
  using Batch = std::vector<Piece>;

  ChunkQueue(const ChunkDatasetOptions& options, samplers::Sampler<>& chunk_sampler,
             samplers::Sampler<>& example_sampler, Read read);
  /// Stops the threads.
  ~ChunkQueue();
  ChunkQueue(const ChunkQueue&) = delete;
  ChunkQueue& operator=(const ChunkQueue&) = delete;

  /// Starts an epoch; the chunk sampler is reset before. `given` chunks were delivered before.
  void start(std::size_t given);
  /// Stops the threads and drops what they have read.
  void stop();
  /// Calls a function while no thread uses the samplers.
  void locked(const std::function<void()>& function) const;
  /// Returns the next batch; empty at the end of the epoch. Throws WorkerException if reading
  /// threw; the epoch continues behind the bad chunk.
  Batch next(std::size_t batch_size);
  /// Returns the number of chunks whose examples were all delivered.
  std::size_t chunks_given() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace detail

/// A stateful dataset that reads chunks ahead on threads of its own and shuffles on two levels:
/// ChunkSampler orders the chunks, ExampleSampler the examples of the chunks that were read
/// together. Batches come in the same order with any number of preloaders.
///
/// It cannot be copied: make it with make_shared_dataset(). The loader needs the same batch size.
/// Its state is the position in the order of the chunks: after loading it, the epoch continues with
/// the first chunk that was not delivered completely.
///
/// Example:
///   using Chunks = datasets::ChunkDataset<Reader>;
///   auto dataset = datasets::make_shared_dataset<Chunks>(
///       Reader(files), samplers::RandomSampler(files.size()), samplers::RandomSampler(0),
///       datasets::ChunkDatasetOptions(/*preloader_count=*/2, /*batch_size=*/64));
///   auto loader = data::make_data_loader(dataset.map(transforms::Stack<>()), 64);
template <class ChunkReader, class ChunkSampler = samplers::RandomSampler,
          class ExampleSampler = samplers::RandomSampler>
class ChunkDataset : public StatefulDataset<ChunkDataset<ChunkReader, ChunkSampler, ExampleSampler>,
                                            typename ChunkReader::BatchType, std::size_t> {
 public:
  /// The types of a batch, without and with the optional, and of a request.
  using UnwrappedBatchType = typename ChunkReader::BatchType;
  using BatchType = std::optional<UnwrappedBatchType>;
  using BatchRequestType = std::size_t;
  /// The types of the samplers.
  using ChunkSamplerType = ChunkSampler;
  using ExampleSamplerType = ExampleSampler;

  /// Joins a reader, samplers and options. `preprocessing_policy` may change the examples that were
  /// read together, before they are shuffled.
  ChunkDataset(ChunkReader reader, ChunkSampler chunk_sampler, ExampleSampler example_sampler,
               ChunkDatasetOptions options,
               std::function<void(UnwrappedBatchType&)> preprocessing_policy = nullptr)
      : reader_(std::move(reader)),
        chunk_sampler_(std::move(chunk_sampler)),
        example_sampler_(std::move(example_sampler)),
        options_(options),
        preprocessing_policy_(std::move(preprocessing_policy)),
        queue_(options_, chunk_sampler_, example_sampler_,
               [this](const std::vector<std::size_t>& chunks) { return read(chunks); }) {}

  /// Returns the next batch; nullopt at the end of the epoch. Throws Error before the first reset()
  /// and for another batch size than the dataset's, WorkerException if the reader threw.
  BatchType get_batch(std::size_t batch_size) override {
    detail::ChunkQueue::Batch pieces = queue_.next(batch_size);
    if (pieces.empty()) return std::nullopt;
    UnwrappedBatchType batch;
    for (detail::ChunkQueue::Piece& piece : pieces) {
      auto& chunk = *static_cast<UnwrappedBatchType*>(piece.chunk.get());
      for (const std::size_t i : piece.examples) batch.push_back(std::move(chunk[i]));
    }
    return batch;
  }
  /// Returns the next batch of the options' size.
  BatchType get_batch() { return get_batch(options_.batch_size()); }

  /// Starts an epoch, or continues the epoch of a loaded state.
  void reset() override {
    queue_.stop();
    if (!std::exchange(resumes_, false)) {
      given_ = 0;
      reader_.reset();
      chunk_sampler_.reset(reader_.chunk_count());
    }
    queue_.start(given_);
  }
  /// Returns nullopt, because the size is unknown.
  std::optional<std::size_t> size() const override { return std::nullopt; }

  /// Returns the sampler of chunks, for example to set the epoch of a distributed one. Change it
  /// before reset() alone.
  ChunkSampler& chunk_sampler() { return chunk_sampler_; }

  /// Returns the position in the order of the chunks.
  State state_dict() const override {
    return chunk_sampler_.state_dict(resumes_ ? given_ : queue_.chunks_given());
  }
  /// Makes the next reset() continue from `state`. If it throws, the epoch goes on.
  void load_state_dict(const State& state) override {
    const auto given = state.get<std::size_t>("index");
    // If the sampler refuses the state, the epoch goes on.
    queue_.locked([&] { chunk_sampler_.load_state_dict(state); });
    queue_.stop();
    chunk_sampler_.load_state_dict(state);  // the threads may have moved on
    given_ = given;
    resumes_ = true;
  }

 protected:
  // For other forms of saving than state_dict().

  /// Returns the sampler of chunks at the first chunk that was not given completely. A sampler
  /// without a state is where reading ahead has come to.
  ChunkSampler sampler_of_rest() const {
    std::optional<ChunkSampler> sampler;
    queue_.locked([&] { sampler.emplace(chunk_sampler_); });
    try {
      sampler->load_state_dict(state_dict());
    } catch (const NotImplementedError&) {  // it has no state
    }
    return *std::move(sampler);
  }
  /// Replaces the sampler of chunks; the next reset() continues with it.
  void continue_with(ChunkSampler sampler) {
    queue_.stop();
    chunk_sampler_ = std::move(sampler);
    try {
      given_ = chunk_sampler_.state_dict(std::nullopt).template get<std::size_t>("index");
    } catch (const NotImplementedError&) {
      given_ = 0;
    }
    resumes_ = true;
  }

 private:
  detail::ChunkQueue::Part read(const std::vector<std::size_t>& chunks) {
    auto all = std::make_shared<UnwrappedBatchType>(reader_.read_chunk(chunks[0]));
    for (std::size_t i = 1; i < chunks.size(); ++i) {
      UnwrappedBatchType more = reader_.read_chunk(chunks[i]);
      std::move(more.begin(), more.end(), std::back_inserter(*all));
    }
    if (preprocessing_policy_) preprocessing_policy_(*all);
    const std::size_t size = all->size();
    return {std::move(all), size};
  }

  ChunkReader reader_;
  ChunkSampler chunk_sampler_;
  ExampleSampler example_sampler_;
  ChunkDatasetOptions options_;
  std::function<void(UnwrappedBatchType&)> preprocessing_policy_;
  std::size_t given_ = 0;  // chunks delivered before this epoch was loaded
  bool resumes_ = false;
  detail::ChunkQueue queue_;  // the last member, because its threads use the others
};

}  // namespace tern::data::datasets
