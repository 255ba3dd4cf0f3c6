#include <tern/nn/data/datasets/chunk.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include <tern/core/base/error.h>
#include <tern/nn/data/worker_exception.h>

namespace tern::data::datasets {

ChunkDatasetOptions::ChunkDatasetOptions(StrictInteger<std::size_t> preloader_count,
                                         StrictInteger<std::size_t> batch_size,
                                         StrictInteger<std::size_t> cache_size,
                                         StrictInteger<std::size_t> cross_chunk_shuffle_count)
    : preloader_count_(preloader_count),
      batch_size_(batch_size),
      cache_size_(cache_size),
      cross_chunk_shuffle_count_(cross_chunk_shuffle_count) {
  check();
}

ChunkDatasetOptions& ChunkDatasetOptions::preloader_count(StrictInteger<std::size_t> count) {
  return *this = {count, batch_size_, cache_size_, cross_chunk_shuffle_count_};
}

ChunkDatasetOptions& ChunkDatasetOptions::batch_size(StrictInteger<std::size_t> count) {
  return *this = {preloader_count_, count, cache_size_, cross_chunk_shuffle_count_};
}

ChunkDatasetOptions& ChunkDatasetOptions::cache_size(StrictInteger<std::size_t> count) {
  return *this = {preloader_count_, batch_size_, count, cross_chunk_shuffle_count_};
}

ChunkDatasetOptions& ChunkDatasetOptions::cross_chunk_shuffle_count(
    StrictInteger<std::size_t> count) {
  return *this = {preloader_count_, batch_size_, cache_size_, count};
}

void ChunkDatasetOptions::check() const {
  const auto is_positive = [](std::size_t count) { return static_cast<std::int64_t>(count) > 0; };
  TERN_CHECK(is_positive(preloader_count_), Error,
             "Preloader count is 0. At least one preloader needs to be specified.");
  TERN_CHECK(is_positive(batch_size_), Error,
             "Batch size is 0. A positive batch size needs to be specified.");
  TERN_CHECK(is_positive(cache_size_), Error,
             "Cache size is 0. A positive cache size needs to be specified.");
  TERN_CHECK(cache_size_ >= batch_size_, Error,
             "Cache size is less than batch size. Cache needs to be large enough to hold at least "
             "one batch. Got ",
             cache_size_, " and ", batch_size_);
  TERN_CHECK(is_positive(cross_chunk_shuffle_count_), Error,
             "cross_chunk_shuffle_count needs to be greater than 0.");
}

namespace detail {

struct ChunkQueue::Impl {
  /// A batch, or the exception of a chunk.
  struct Entry {
    Batch batch;
    std::size_t size = 0;
    std::size_t chunks = 0;  // chunks that end with this batch
    std::exception_ptr error;
  };

  Impl(const ChunkDatasetOptions& its_options, samplers::Sampler<>& chunks,
       samplers::Sampler<>& examples, Read its_read)
      : options(its_options),
        chunk_sampler(chunks),
        example_sampler(examples),
        read(std::move(its_read)) {}

  /// Reads chunks until there are no more. Chunks enter the queue in the sampler's order.
  void preload() {
    std::unique_lock lock(mutex);
    while (!stopping) {
      std::optional<std::vector<std::size_t>> chunks;
      std::exception_ptr error;
      try {
        chunks = chunk_sampler.next(options.cross_chunk_shuffle_count());
      } catch (...) {
        error = std::current_exception();
      }
      if (!chunks && !error) break;
      const std::size_t number = taken++;
      Part part;
      lock.unlock();
      try {
        if (!error) part = read(*chunks);
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      writable.wait(lock,
                    [&] { return stopping || (number == added && queued < options.cache_size()); });
      if (stopping) break;
      const std::size_t count = chunks ? chunks->size() : 0;
      try {
        if (!error) add(part, count);
      } catch (...) {
        error = std::current_exception();
      }
      if (error) queue.push_back({{}, 0, count, error});
      ++added;
      writable.notify_all();
      readable.notify_all();
      if (!chunks) break;  // the sampler is broken
    }
    --running;
    readable.notify_all();
  }

  /// Cuts the examples of a part into batches.
  void add(const Part& part, std::size_t chunks) {
    if (part.size == 0) {  // its chunks count as delivered with the batch before
      (queue.empty() ? given : queue.back().chunks) += chunks;
      return;
    }
    example_sampler.reset(part.size);
    std::size_t left = part.size;
    while (left > 0) {
      if (queue.empty() || queue.back().error || queue.back().size >= options.batch_size()) {
        queue.emplace_back();
      }
      Entry& entry = queue.back();
      auto examples = example_sampler.next(std::min(left, options.batch_size() - entry.size));
      TERN_CHECK(examples && !examples->empty(), Error, "ChunkDataset: the sampler gave ",
                 part.size - left, " examples of a chunk of ", part.size);
      for (const std::size_t i : *examples) {
        TERN_CHECK(i < part.size, IndexError, "ChunkDataset: the sampler gave index ", i,
                   ", but the chunk has ", part.size, " examples");
      }
      const std::size_t count = std::min(examples->size(), left);
      entry.size += count;
      queued += count;
      left -= count;
      if (left == 0) entry.chunks += chunks;
      entry.batch.push_back({part.chunk, std::move(*examples)});
    }
  }

  /// True if the first batch is complete, or the last one there will be.
  bool is_ready() const {
    if (running == 0) return true;
    return !queue.empty() &&
           (queue.front().error || queue.front().size >= options.batch_size() || queue.size() > 1);
  }

  const ChunkDatasetOptions options;
  samplers::Sampler<>& chunk_sampler;
  samplers::Sampler<>& example_sampler;
  const Read read;
  mutable std::mutex mutex;
  std::condition_variable readable, writable;
  std::deque<Entry> queue;
  std::size_t queued = 0;   // examples in the queue
  std::size_t taken = 0;    // reads that began
  std::size_t added = 0;    // reads whose examples are in the queue
  std::size_t given = 0;    // chunks delivered completely
  std::size_t running = 0;  // threads
  bool started = false, stopping = false;
  std::vector<std::thread> threads;
};

ChunkQueue::ChunkQueue(const ChunkDatasetOptions& options, samplers::Sampler<>& chunk_sampler,
                       samplers::Sampler<>& example_sampler, Read read)
    : impl_(std::make_unique<Impl>(options, chunk_sampler, example_sampler, std::move(read))) {}

ChunkQueue::~ChunkQueue() { stop(); }

void ChunkQueue::start(std::size_t given) {
  stop();
  impl_->given = given;
  impl_->started = true;
  const std::size_t count = impl_->options.preloader_count();
  for (std::size_t i = 0; i < count; ++i) {
    try {
      // Under the lock, so that no thread counts down before it is counted.
      const std::lock_guard lock(impl_->mutex);
      impl_->threads.emplace_back([this] { impl_->preload(); });
      ++impl_->running;
    } catch (const std::system_error& error) {
      stop();
      tern::detail::raise<Error>("ChunkDataset: cannot start ", count, " preloaders, only ", i,
                                 "; the system says: ", error.code().message());
    }
  }
}

void ChunkQueue::stop() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->stopping = true;
  }
  impl_->writable.notify_all();
  for (std::thread& thread : impl_->threads) thread.join();
  impl_->threads.clear();
  impl_->queue.clear();
  impl_->queued = impl_->taken = impl_->added = impl_->running = 0;
  impl_->started = impl_->stopping = false;
}

void ChunkQueue::locked(const std::function<void()>& function) const {
  const std::lock_guard lock(impl_->mutex);
  function();
}

ChunkQueue::Batch ChunkQueue::next(std::size_t batch_size) {
  std::unique_lock lock(impl_->mutex);
  TERN_CHECK(impl_->started, Error, "Dataset needs to call reset() before calling get_batch().");
  TERN_CHECK(batch_size == impl_->options.batch_size(), Error,
             "The requested batch size does not match with the initialized batch size.\n The "
             "requested batch size is ",
             batch_size, ", while the dataset is created with batch size equal to ",
             impl_->options.batch_size());
  impl_->readable.wait(lock, [this] { return impl_->is_ready(); });
  if (impl_->queue.empty()) return {};
  Impl::Entry entry = std::move(impl_->queue.front());
  impl_->queue.pop_front();
  impl_->queued -= entry.size;
  impl_->given += entry.chunks;
  lock.unlock();
  impl_->writable.notify_all();
  if (entry.error) throw WorkerException(entry.error);
  return std::move(entry.batch);
}

std::size_t ChunkQueue::chunks_given() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->given;
}

}  // namespace detail
}  // namespace tern::data::datasets
