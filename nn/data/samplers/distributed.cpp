#include <tern/nn/data/samplers/distributed.h>

#include <algorithm>
#include <numeric>
#include <random>

#include <tern/core/base/error.h>
#include <tern/core/ops/create/creation.h>
#include <tern/core/tensor/mt19937.h>
#include <tern/nn/data/detail/sampler_state.h>

namespace tern::data::samplers {
namespace {

void check_rank(const char* sampler, std::size_t rank, std::size_t num_replicas) {
  TERN_CHECK(static_cast<std::int64_t>(num_replicas) > 0, Error, sampler,
             ": num_replicas must be positive, got ", static_cast<std::int64_t>(num_replicas));
  TERN_CHECK(rank < num_replicas, Error, sampler, ": Invalid rank ",
             static_cast<std::int64_t>(rank), ", rank should be in the interval [0, ",
             static_cast<std::int64_t>(num_replicas) - 1, "]");
}

std::vector<std::int64_t> counted_to(std::size_t size) {
  std::vector<std::int64_t> indices(size);
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

}  // namespace

DistributedSampler::DistributedSampler(const char* name, std::size_t size, std::size_t num_replicas,
                                       std::size_t rank, bool allow_duplicates)
    : DrawnSampler(name, size),
      num_replicas_(num_replicas),
      rank_(rank),
      allow_duplicates_(allow_duplicates) {
  check_rank(name, rank, num_replicas);
}

std::size_t DistributedSampler::count() const {
  return allow_duplicates_ ? (size() + num_replicas_ - 1) / num_replicas_ : size() / num_replicas_;
}

DistributedRandomSampler::DistributedRandomSampler(StrictInteger<std::size_t> size,
                                                   StrictInteger<std::size_t> num_replicas,
                                                   StrictInteger<std::size_t> rank,
                                                   StrictBool allow_duplicates)
    : DistributedSampler("DistributedRandomSampler", size, num_replicas, rank, allow_duplicates) {}

std::vector<std::int64_t> DistributedRandomSampler::draw() {
  const std::size_t local = count(), all = num_replicas() == 1 ? size() : local * num_replicas();
  std::vector<std::int64_t> indices = counted_to(all);
  for (std::size_t i = size(); i < all; ++i) {
    indices[i] = static_cast<std::int64_t>((i - size()) % size());
  }
  std::mt19937 random(static_cast<std::mt19937::result_type>(epoch()));
  std::shuffle(indices.begin(), indices.end(), random);
  const auto begin = indices.begin() + static_cast<std::ptrdiff_t>(rank() * local);
  return {begin, begin + static_cast<std::ptrdiff_t>(local)};
}

DistributedSequentialSampler::DistributedSequentialSampler(StrictInteger<std::size_t> size,
                                                           StrictInteger<std::size_t> num_replicas,
                                                           StrictInteger<std::size_t> rank,
                                                           StrictBool allow_duplicates)
    : DistributedSampler("DistributedSequentialSampler", size, num_replicas, rank,
                         allow_duplicates) {}

std::vector<std::int64_t> DistributedSequentialSampler::draw() {
  std::vector<std::int64_t> indices(count());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    indices[i] = static_cast<std::int64_t>((rank() * indices.size() + i) % size());
  }
  return indices;
}

PythonDistributedSampler::PythonDistributedSampler(StrictInteger<std::size_t> size,
                                                   StrictInteger<std::size_t> num_replicas,
                                                   StrictInteger<std::size_t> rank,
                                                   StrictBool shuffle,
                                                   StrictInteger<std::uint64_t> seed,
                                                   StrictBool drop_last)
    : DrawnSampler("PythonDistributedSampler", size),
      num_replicas_(num_replicas),
      rank_(rank),
      seed_(seed),
      shuffle_(shuffle),
      drop_last_(drop_last) {
  check_rank("PythonDistributedSampler", rank_, num_replicas_);
}

std::size_t PythonDistributedSampler::count() const { return from_ + count_from(consumed_); }

std::size_t PythonDistributedSampler::count_from(std::size_t consumed) const {
  const std::size_t left = size() - std::min(consumed, size());
  // With drop_last Python rounds (size - num_replicas) / num_replicas up, which is size /
  // num_replicas, rounded down.
  return drop_last_ ? left / num_replicas_ : (left + num_replicas_ - 1) / num_replicas_;
}

std::vector<std::int64_t> PythonDistributedSampler::draw() {
  all_ = counted_to(size());
  if (shuffle_) {
    Mt19937 random(seed_ + epoch_);
    randperm(random, all_.data(), static_cast<std::int64_t>(all_.size()));
  }
  consumed_ = from_ = 0;
  return indices();
}

std::vector<std::int64_t> PythonDistributedSampler::indices() const {
  std::vector<std::int64_t> indices(count());  // the first `from_` were given before
  for (std::size_t i = from_; i < indices.size(); ++i) {
    indices[i] = all_[(consumed_at(i) + rank_) % all_.size()];
  }
  return indices;
}

State PythonDistributedSampler::state_dict(std::optional<std::size_t> given) const {
  if (all_.empty()) return DrawnSampler::state_dict(given);
  State state = DrawnSampler::state_dict(given);
  state.set("order", tensor(all_, kLong));
  state.set("consumed", consumed_at(given.value_or(index())));
  return state;
}

void PythonDistributedSampler::load_state_dict(const State& state) {
  constexpr const char* kName = "PythonDistributedSampler";
  const bool is_drawn = state.get<Tensor>("order").numel() > 0;  // empty before the first reset
  if (!state.contains("consumed") || !is_drawn) {
    DrawnSampler::load_state_dict(state);
    all_.clear();
    consumed_ = from_ = 0;
    return;
  }
  auto all = detail::indices_of(kName, state, size(), size());
  const std::size_t index = detail::index_of(kName, state, size(), size());
  const auto consumed = state.get<std::size_t>("consumed");
  TERN_CHECK(consumed >= index && consumed <= 2 * size(), Error, kName, ": of ", size(),
             " examples one rank has had ", index, " and all together ", consumed);
  all_ = std::move(all);
  consumed_ = consumed;
  from_ = index;
  continue_with(indices(), index);
}

}  // namespace tern::data::samplers
