#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <tern/core/base/strict.h>
#include <tern/core/base/visibility.h>
#include <tern/core/tensor/dtype.h>
#include <tern/core/tensor/generator.h>
#include <tern/core/tensor/state.h>

namespace tern::data::samplers {

namespace detail {
/// Writes the items of `state` to an archive.
TERN_API void save_state(const State& state, serialize::OutputArchive& archive);
/// Returns the content of an archive.
TERN_API State state_in(const serialize::InputArchive& archive);
}  // namespace detail

/// Decides which examples form the next batch.
template <class BatchRequest = std::vector<std::size_t>>
class Sampler {
 public:
  /// The type of the requests to the dataset.
  using BatchRequestType = BatchRequest;

  /// Frees the sampler.
  virtual ~Sampler() = default;
  /// Starts an epoch. `new_size` changes the number of examples from now on.
  virtual void reset(std::optional<std::size_t> new_size = std::nullopt) = 0;
  /// Returns at most `batch_size` indices, or nullopt at the end of the epoch.
  virtual std::optional<BatchRequest> next(std::size_t batch_size) = 0;

  /// Returns the order of this epoch and the number of indices returned so far, or `given` if set.
  /// Throws NotImplementedError unless overridden.
  virtual State state_dict(std::optional<std::size_t> /*given*/ = std::nullopt) const {
    tern::detail::raise<NotImplementedError>("state_dict: this sampler has no state");
  }
  /// Continues from a state returned by state_dict(). Throws Error, without any change, for the
  /// state of a sampler of another kind or size.
  virtual void load_state_dict(const State& /*state*/) {
    tern::detail::raise<NotImplementedError>("load_state_dict: this sampler has no state");
  }

  /// Writes state_dict() to an archive; torch::save() of programs for libtorch calls it. Samplers
  /// that libtorch has write its keys.
  virtual void save(serialize::OutputArchive& archive) const {
    detail::save_state(state_dict(), archive);
  }
  /// Continues from an archive, with the checks of load_state_dict().
  virtual void load(serialize::InputArchive& archive) {
    load_state_dict(detail::state_in(archive));
  }
};

/// Returns the indices 0, 1, 2, ... in order.
class TERN_API SequentialSampler : public Sampler<> {
 public:
  /// Samples `size` examples.
  explicit SequentialSampler(std::size_t size);

  void reset(std::optional<std::size_t> new_size = std::nullopt) override;
  std::optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
  State state_dict(std::optional<std::size_t> given = std::nullopt) const override;
  void load_state_dict(const State& state) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
  /// Returns the number of indices since the last reset.
  std::size_t index() const { return index_; }

 private:
  std::size_t size_;
  std::size_t index_ = 0;
};

/// Returns every index once, in a random order from the CPU's default generator. Draws like
/// libtorch's sampler: randperm(size) in the constructor and again at each reset.
class TERN_API RandomSampler : public Sampler<> {
 public:
  /// Samples `size` examples. `index_dtype` has no effect; libtorch's constructor has it.
  explicit RandomSampler(std::int64_t size, ScalarType index_dtype = kLong);

  void reset(std::optional<std::size_t> new_size = std::nullopt) override;
  std::optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
  State state_dict(std::optional<std::size_t> given = std::nullopt) const override;
  void load_state_dict(const State& state) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
  /// Returns the number of indices since the last reset.
  std::size_t index() const { return index_; }

 private:
  std::vector<std::int64_t> order_;
  std::size_t index_ = 0;
};

/// A SequentialSampler that draws like Python's DataLoader without shuffle: two words of the CPU's
/// default generator at each reset (in Python, the base seed of the workers).
class TERN_API PythonSequentialSampler : public SequentialSampler {
 public:
  /// Samples `size` examples.
  using SequentialSampler::SequentialSampler;
  void reset(std::optional<std::size_t> new_size = std::nullopt) override;
};

/// Options of PythonRandomSampler: the arguments of torch.utils.data.RandomSampler.
struct PythonRandomSamplerOptions {
  /// True: each index is drawn anew, so an epoch may contain an index several times or not at all.
  PythonRandomSamplerOptions& replacement(StrictBool on) {
    replacement_ = on;
    return *this;
  }
  bool replacement() const { return replacement_; }
  /// The number of indices in an epoch; the size of the dataset by default.
  PythonRandomSamplerOptions& num_samples(StrictInt count) {
    num_samples_ = count;
    return *this;
  }
  std::optional<std::int64_t> num_samples() const { return num_samples_; }
  /// The generator to draw from, as with Python's DataLoader(shuffle=True, generator=g). Without
  /// it, the CPU's default generator seeds a private one for each epoch.
  PythonRandomSamplerOptions& generator(Generator source) {
    generator_ = std::move(source);
    return *this;
  }
  const std::optional<Generator>& generator() const { return generator_; }

 private:
  bool replacement_ = false;
  std::optional<std::int64_t> num_samples_;
  std::optional<Generator> generator_;
};

/// Shuffles like Python's DataLoader(shuffle=True): the same seed gives the same batches. Each
/// reset draws two words like PythonSequentialSampler, then two words that seed a private
/// generator, whose randperm is the order.
///
/// Example:
///   samplers::PythonRandomSampler few(
///       size, samplers::PythonRandomSamplerOptions().replacement(true).num_samples(1000));
class TERN_API PythonRandomSampler : public Sampler<> {
 public:
  /// Samples `size` examples. Throws Error if num_samples is not positive.
  explicit PythonRandomSampler(std::size_t size, PythonRandomSamplerOptions options = {});

  void reset(std::optional<std::size_t> new_size = std::nullopt) override;
  std::optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
  State state_dict(std::optional<std::size_t> given = std::nullopt) const override;
  void load_state_dict(const State& state) override;
  /// Returns the number of indices since the last reset.
  std::size_t index() const { return index_; }

 private:
  std::size_t count() const;

  std::size_t size_;
  PythonRandomSamplerOptions options_;
  std::vector<std::int64_t> order_;
  std::size_t index_ = 0;
};

}  // namespace tern::data::samplers
