#include <tern/nn/data/data_loader_base.h>

#include <algorithm>
#include <string>
#include <utility>

#include <tern/core/base/error.h>
#include <tern/core/base/profile_scope.h>
#include <tern/core/tensor/generator.h>
#include <tern/nn/data/detail/workers.h>
#include <tern/nn/data/worker_exception.h>
#include <tern/nn/data/worker_info.h>

namespace tern::data::detail {
namespace {

/// A count that came from a negative number is shown as that number.
std::int64_t shown(std::size_t count) { return static_cast<std::int64_t>(count); }

}  // namespace

LoaderCore::LoaderCore(const DataLoaderOptions& options)
    : options_(options), life_(std::make_shared<char>()) {
  constexpr std::size_t kMost = 1 << 16;
  TERN_CHECK(shown(options.batch_size()) > 0, Error,
             "DataLoader: the batch size must be positive, got ", shown(options.batch_size()));
  TERN_CHECK(options.workers() <= kMost, Error, "DataLoader: workers must be from 0 to ", kMost,
             ", got ", shown(options.workers()));
  TERN_CHECK(options.workers() == 0 || shown(options.max_jobs()) > 0, Error,
             "DataLoader: with workers, max_jobs must be at least 1, got ",
             shown(options.max_jobs()));
  TERN_CHECK(options.timeout_ms().value_or(0) >= 0, Error,
             "DataLoader: timeout option should be non-negative, got ", *options.timeout_ms(),
             " ms");
}

LoaderCore::~LoaderCore() = default;

void LoaderCore::start() {
  if (options_.workers() == 0) return;
  workers_ = std::make_unique<Workers>(options_.workers(), options_.enforce_ordering(),
                                       options_.timeout_ms());
}

void LoaderCore::join() {
  joined_ = true;
  workers_.reset();
}

void LoaderCore::check_has_state() const {
  TERN_CHECK(options_.workers() == 0 || options_.enforce_ordering(), Error,
             "DataLoader: saving and loading a state needs enforce_ordering(true)");
}

State LoaderCore::state_dict() const {
  check_has_state();
  State state;
  state.insert("in_epoch", in_epoch_ || resumes_);
  state.insert("epoch", epoch_);
  state.insert("batch", batches_);
  state.insert("seed", static_cast<std::int64_t>(seed_));
  state.insert("sampler", source_state(given_));
  return state;
}

void LoaderCore::load_state_dict(const State& state) {
  check_has_state();
  TERN_CHECK(state.is_dict() && state.contains("in_epoch") && state.contains("sampler"), Error,
             "DataLoader::load_state_dict: expected the state of a DataLoader, which has the keys "
             "'in_epoch' and 'sampler'");
  const bool in_epoch = state.get<bool>("in_epoch");
  // States of version 0.1 lack the numbers for the seeds.
  const bool has_seed = state.contains("seed");
  const auto epoch = has_seed ? state.get<std::size_t>("epoch") : epoch_;
  const auto batch = has_seed ? state.get<std::size_t>("batch") : 0;
  const auto seed = has_seed ? static_cast<std::uint64_t>(state.get<std::int64_t>("seed")) : 0;
  const auto given = state["sampler"].get<std::size_t>("index");
  load_source_state(state["sampler"], in_epoch);  // may throw, so the workers are cleared later
  if (workers_) workers_->clear();
  sizes_.clear();
  given_ = given;
  batches_ = batch;
  epoch_ = epoch;
  seed_ = seed;
  resumes_ = in_epoch;
  in_epoch_ = false;
  ++begun_;  // iterators of the epoch before are over
}

void LoaderCore::begin_epoch() {
  TERN_CHECK(!joined_, Error, "DataLoader: begin() cannot be called after join()");
  if (workers_) workers_->clear();
  sizes_.clear();
  ++begun_;
  if (resumes_) {
    resume();
    resumes_ = false;
  } else {
    reset();
    given_ = batches_ = 0;
    ++epoch_;
    seed_ = options_.seed().value_or(default_generator(kCPU).current_seed());
  }
  in_epoch_ = true;
  exhausted_ = false;
  prefetch();
}

void LoaderCore::prefetch() {
  while (workers_ && !exhausted_ && workers_->pending() < options_.max_jobs()) {
    std::size_t examples = 0;
    Fetch fetch = next_fetch(examples);
    if (!fetch) return;
    const std::uint64_t seed = batch_seed(seed_, epoch_, batches_ + sizes_.size());
    const std::size_t count = options_.workers();
    workers_->push([fetch = std::move(fetch), seed, count](std::size_t worker) {
      const BatchScope scope(seed, worker, count);
      return fetch(worker);
    });
    sizes_.push_back(examples);
  }
}

LoaderCore::AnyBatch LoaderCore::fetch_here() {
  std::size_t examples = 0;
  const Fetch fetch = next_fetch(examples);
  if (!fetch) return nullptr;
  const std::uint64_t seed = batch_seed(seed_, epoch_, batches_);
  given_ += examples;
  ++batches_;
  const BatchScope scope(seed, std::nullopt, 0);
  return fetch(0);
}

LoaderCore::AnyBatch LoaderCore::pop() {
  while (workers_->pending() > 0) {
    Workers::Outcome outcome = workers_->pop();
    given_ += sizes_.front();
    ++batches_;
    sizes_.erase(sizes_.begin());
    // A stateful dataset is exhausted: batches of other workers may still come.
    exhausted_ = exhausted_ || (!outcome.result && !outcome.error);
    prefetch();
    if (outcome.error) throw WorkerException(outcome.error);
    if (outcome.result) return std::move(outcome.result);
  }
  return nullptr;
}

LoaderCore::AnyBatch LoaderCore::next_batch(std::size_t epoch) {
  const tern::detail::ProfileScope profile(tern::detail::ProfileKind::kRange,
                                           "enumerate(DataLoader)#next");
  if (joined_) return nullptr;
  TERN_CHECK(epoch == begun_, Error,
             "DataLoader: this iterator belongs to an earlier epoch, which ended when begin() or "
             "load_state_dict() was called; a loader has one epoch at a time");
  AnyBatch batch = workers_ ? pop() : fetch_here();
  in_epoch_ = batch != nullptr;
  return batch;
}

void raise_past_the_end(const char* where, bool is_end) {
  const bool increments = where[0] == 'i';
  if (is_end) {
    tern::detail::raise<Error>(increments ? "Incrementing" : "Dereferencing",
                               " the DataLoader's past-the-end iterator is not allowed");
  }
  tern::detail::raise<Error>(increments
                                 ? "Attempted to increment iterator past the end"
                                 : "Attempted to dereference iterator that was past the end");
}

void raise_loader_is_gone() {
  tern::detail::raise<Error>(
      "DataLoader: the loader of this iterator was destroyed; keep the loader in a variable for as "
      "long as its iterators are used");
}

void check_indices(const std::vector<std::size_t>& indices,
                   const std::optional<std::size_t>& size) {
  if (!size || indices.empty()) return;
  const std::size_t largest = std::ranges::max(indices);
  TERN_CHECK(largest < *size, IndexError, "DataLoader: the sampler gave index ", largest,
             ", but the dataset has ", *size,
             " examples; make the sampler for as many examples as the dataset has");
}

void raise_not_copyable() {
  tern::detail::raise<Error>(
      "DataLoader: each worker needs a copy of the dataset, which cannot be copied; share it with "
      "datasets::make_shared_dataset<..>(..), or use workers(0)");
}

std::size_t size_for_sampler(const std::optional<std::size_t>& size) {
  TERN_CHECK(size, Error,
             "DataLoader: Expected the dataset to be sized in order to construct the Sampler; pass "
             "a sampler, for example samplers::StreamSampler(epoch_size)");
  return *size;
}

}  // namespace tern::data::detail
