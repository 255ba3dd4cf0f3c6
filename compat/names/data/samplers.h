#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tern/compat/names/c10.h>

namespace torch::serialize {
class InputArchive;
class OutputArchive;
}  // namespace torch::serialize

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

/// Writes the state of a sampler.
template <class BatchRequest>
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive,
                                     const Sampler<BatchRequest>& sampler) {
  sampler.save(archive);
  return archive;
}
/// Reads the state of a sampler.
template <class BatchRequest>
serialize::InputArchive& operator>>(serialize::InputArchive& archive,
                                    Sampler<BatchRequest>& sampler) {
  sampler.load(archive);
  return archive;
}

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
  void save(serialize::OutputArchive& /*archive*/) const override { fail("save"); }
  void load(serialize::InputArchive& /*archive*/) override { fail("load"); }

 protected:
  /// Takes over a sampler; `args` construct the base.
  template <class... Args>
  explicit Wrapped(Own own, Args... args) : Base(args...), own_(std::move(own)) {}

  /// Returns how many examples were sampled since the reset.
  std::size_t position() const { return own_.state_dict().template get<std::size_t>("index"); }
  /// Continues behind `count` examples.
  void move_to(std::size_t count) {
    ::tern::State state = own_.state_dict();
    state.set("index", count);
    own_.load_state_dict(state);
  }
  /// Writes a number as libtorch does.
  template <class Archive>
  static void write(Archive& archive, const std::string& key, std::size_t number) {
    archive.write(key, ::tern::tensor(static_cast<std::int64_t>(number)), /*is_buffer=*/true);
  }
  /// Reads a number.
  template <class Archive>
  static std::size_t read(Archive& archive, const std::string& key) {
    ::tern::Tensor number = ::tern::empty({1}, ::tern::kLong);
    archive.read(key, number, /*is_buffer=*/true);
    return static_cast<std::size_t>(number.template item<std::int64_t>());
  }

  /// The sampler.
  Own own_;

 private:
  [[noreturn]] static void fail(const char* what) {
    ::tern::detail::raise<::tern::NotImplementedError>(what, ": there are no archives");
  }
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
  /// Returns the position in the list of all ranks.
  std::size_t index() const noexcept { return begin() + this->own_.index(); }

 protected:
  /// Returns the position of the first example of this rank.
  std::size_t begin() const { return this->rank_ * this->local_sample_count(); }
};

}  // namespace detail

/// Samples 0, 1, 2, ... in order.
class SequentialSampler
    : public detail::Wrapped<::tern::data::samplers::SequentialSampler, Sampler<>> {
 public:
  /// Samples `size` examples.
  explicit SequentialSampler(std::size_t size)
      : Wrapped(::tern::data::samplers::SequentialSampler(size)) {}
  /// Returns the number of indices since the last reset.
  std::size_t index() const noexcept { return own_.index(); }

  /// Writes libtorch's key.
  template <class Archive>
  void write_to(Archive& archive) const {
    write(archive, "index", index());
  }
  /// Reads what write_to() writes.
  template <class Archive>
  void read_from(Archive& archive) {
    move_to(read(archive, "index"));
  }
};

/// Samples every index once, in a random order of the CPU's default generator.
class RandomSampler : public detail::Wrapped<::tern::data::samplers::RandomSampler, Sampler<>> {
 public:
  /// Samples `size` examples. `index_dtype` has no effect.
  explicit RandomSampler(std::int64_t size, ::tern::ScalarType index_dtype = ::tern::kLong)
      : Wrapped(::tern::data::samplers::RandomSampler(size, index_dtype)) {}
  /// Returns the number of indices since the last reset.
  std::size_t index() const noexcept { return own_.index(); }

  /// Writes libtorch's keys.
  template <class Archive>
  void write_to(Archive& archive) const {
    write(archive, "index", index());
    archive.write("indices", own_.state_dict().template get<::tern::Tensor>("order"),
                  /*is_buffer=*/true);
  }
  /// Reads what write_to() writes.
  template <class Archive>
  void read_from(Archive& archive) {
    ::tern::Tensor order = ::tern::empty({0}, ::tern::kLong);
    archive.read("indices", order, /*is_buffer=*/true);
    const auto size = static_cast<std::size_t>(order.numel());
    ::tern::State state = own_.state_dict();
    if (state.get<std::size_t>("size") != size) own_.reset(size);
    state.set("size", size);
    state.set("index", read(archive, "index"));
    state.set("order", order.to(::tern::kLong));
    own_.load_state_dict(state);
  }
};

/// Requests examples of a stream until an epoch has `epoch_size` of them.
class StreamSampler
    : public detail::Wrapped<::tern::data::samplers::StreamSampler, Sampler<BatchSize>> {
 public:
  /// Requests `epoch_size` examples in an epoch.
  explicit StreamSampler(std::size_t epoch_size)
      : Wrapped(::tern::data::samplers::StreamSampler(epoch_size)) {}

  /// Writes libtorch's key.
  template <class Archive>
  void write_to(Archive& archive) const {
    write(archive, "examples_retrieved_so_far", position());
  }
  /// Reads what write_to() writes.
  template <class Archive>
  void read_from(Archive& archive) {
    move_to(read(archive, "examples_retrieved_so_far"));
  }
};

/// Shuffles the examples and samples those of one rank.
class DistributedRandomSampler
    : public detail::Distributed<::tern::data::samplers::DistributedRandomSampler> {
 public:
  using Distributed::Distributed;

  /// Writes libtorch's keys.
  template <class Archive>
  void write_to(Archive& archive) const {
    write(archive, "sample_index_", index());
    write(archive, "epoch_", epoch());
  }
  /// Reads what write_to() writes.
  template <class Archive>
  void read_from(Archive& archive) {
    set_epoch(read(archive, "epoch_"));
    reset();
    move_to(read(archive, "sample_index_") - begin());
  }
};

/// Samples the examples of one rank in order.
class DistributedSequentialSampler
    : public detail::Distributed<::tern::data::samplers::DistributedSequentialSampler> {
 public:
  using Distributed::Distributed;

  /// Writes libtorch's key.
  template <class Archive>
  void write_to(Archive& archive) const {
    write(archive, "sample_index_", index());
  }
  /// Reads what write_to() writes.
  template <class Archive>
  void read_from(Archive& archive) {
    move_to(read(archive, "sample_index_") - begin());
  }
};

}  // namespace samplers

}  // namespace torch::data
