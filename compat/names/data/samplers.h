#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tern/compat/names/c10.h>
#include <tern/serialization/archive.h>

namespace torch::data {

namespace samplers {

/// Decides which examples form the next batch.
template <class BatchRequest = std::vector<std::size_t>>
class Sampler : public ::tern::data::samplers::Sampler<BatchRequest> {
 public:
  /// The type of the requests to the dataset.
  using BatchRequestType = BatchRequest;

  /// Writes the position in the epoch.
  virtual void save(serialize::OutputArchive& archive) const = 0;
  /// Continues at the position of an archive.
  virtual void load(serialize::InputArchive& archive) = 0;
};

/// The part of the examples that one of `num_replicas` processes samples; see
/// tern::data::samplers::DistributedSampler.
template <class BatchRequest = std::vector<std::size_t>>
class DistributedSampler : public Sampler<BatchRequest> {
 public:
  /// Divides `size` examples. With `allow_duplicates` some come twice where a rest is left,
  /// otherwise some do not come.
  explicit DistributedSampler(std::size_t size, std::size_t num_replicas = 1, std::size_t rank = 0,
                              bool allow_duplicates = true)
      : size_(size),
        num_replicas_(num_replicas),
        rank_(rank),
        allow_duplicates_(allow_duplicates) {}

  /// Sets the epoch, which decides how the next reset() shuffles.
  void set_epoch(std::size_t epoch) { epoch_ = epoch; }
  /// Returns the epoch.
  std::size_t epoch() const { return epoch_; }

 protected:
  /// Returns the number of examples of this rank.
  std::size_t local_sample_count() const {
    return (allow_duplicates_ ? size_ + num_replicas_ - 1 : size_) / num_replicas_;
  }

  /// What the constructor and set_epoch() were told.
  std::size_t size_, num_replicas_, rank_, epoch_ = 0;
  /// What the constructor was told.
  bool allow_duplicates_;
};

namespace detail {

// Templates, so that the samplers that a program does not name cost it nothing.

/// A sampler of tern::data below a base of libtorch's.
template <class Own, class Base>
class Wrapped : public Base {
 public:
  void reset(std::optional<std::size_t> new_size = std::nullopt) override { own_.reset(new_size); }
  std::optional<typename Own::BatchRequestType> next(std::size_t batch_size) override {
    return own_.next(batch_size);
  }
  ::tern::State state_dict(std::optional<std::size_t> given = std::nullopt) const override {
    return own_.state_dict(given);
  }
  void load_state_dict(const ::tern::State& state) override { own_.load_state_dict(state); }
  void save(serialize::OutputArchive& archive) const override { own_.save(archive); }
  void load(serialize::InputArchive& archive) override { own_.load(archive); }

 protected:
  /// Takes over a sampler; `args` construct the base.
  template <class... Args>
  explicit Wrapped(Own own, Args... args) : Base(args...), own_(std::move(own)) {}

  /// The sampler.
  Own own_;
};

/// A distributed sampler of tern::data, which draws in its constructor and at each reset().
template <class Own>
class Distributed : public Wrapped<Own, DistributedSampler<>> {
 public:
  /// Samples the examples of `rank`. Throws Error unless rank < num_replicas.
  explicit Distributed(std::size_t size, std::size_t num_replicas = 1, std::size_t rank = 0,
                       bool allow_duplicates = true)
      : Distributed::Wrapped(Own(size, num_replicas, rank, allow_duplicates), size, num_replicas,
                             rank, allow_duplicates) {
    this->own_.reset();
  }

  void reset(std::optional<std::size_t> new_size = std::nullopt) override {
    this->size_ = new_size.value_or(this->size_);
    this->own_.set_epoch(this->epoch_);
    this->own_.reset(new_size);
  }
  void save(serialize::OutputArchive& archive) const override {
    Own copy = this->own_;
    copy.set_epoch(this->epoch_);
    copy.save(archive);
  }
  void load(serialize::InputArchive& archive) override {
    this->own_.load(archive);
    this->epoch_ = this->own_.epoch();
  }
  /// Returns the position in the list of all ranks.
  std::size_t index() const noexcept { return begin() + this->own_.index(); }

 protected:
  /// Returns the position of the first example of this rank.
  std::size_t begin() const { return this->rank_ * this->local_sample_count(); }
};

/// A sampler of a number of examples.
template <class Own, class Base, class Size>
class Sized : public Wrapped<Own, Base> {
 public:
  /// Samples `size` examples. A dtype of the indices, behind it, has no effect.
  template <class... Options>
  explicit Sized(Size size, Options... options) : Sized::Wrapped(Own(size, options...)) {}
  /// Returns the number of indices since the last reset.
  std::size_t index() const noexcept { return this->own_.index(); }
};

}  // namespace detail

/// Samples 0, 1, 2, ... in order.
using SequentialSampler =
    detail::Sized<::tern::data::samplers::SequentialSampler, Sampler<>, std::size_t>;
/// Samples every index once, in a random order of the CPU's default generator.
using RandomSampler = detail::Sized<::tern::data::samplers::RandomSampler, Sampler<>, std::int64_t>;
/// Requests examples of a stream until an epoch has the given number of them.
using StreamSampler =
    detail::Sized<::tern::data::samplers::StreamSampler, Sampler<BatchSize>, std::size_t>;
/// Shuffles the examples and samples those of one rank.
using DistributedRandomSampler =
    detail::Distributed<::tern::data::samplers::DistributedRandomSampler>;
/// Samples the examples of one rank in order.
using DistributedSequentialSampler =
    detail::Distributed<::tern::data::samplers::DistributedSequentialSampler>;

}  // namespace samplers

}  // namespace torch::data
