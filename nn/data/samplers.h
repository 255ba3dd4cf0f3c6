#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <tern/core/base/visibility.h>
#include <tern/core/tensor/dtype.h>
#include <tern/core/tensor/state.h>

namespace tern::data::samplers {

/// Says which examples make the next batch.
template <class BatchRequest = std::vector<std::size_t>>
class Sampler {
 public:
  using BatchRequestType = BatchRequest;

  virtual ~Sampler() = default;
  /// Starts over, as at the begin of an epoch; with `new_size`, for so many examples from now on.
  virtual void reset(std::optional<std::size_t> new_size = std::nullopt) = 0;
  /// The next at most `batch_size` indices; nothing at the end of the epoch.
  virtual std::optional<BatchRequest> next(std::size_t batch_size) = 0;

  /// The order of this epoch and how many of its indices were given; or, with `given`, as it was
  /// after so many. A sampler without an override throws NotImplementedError.
  virtual State state_dict(std::optional<std::size_t> /*given*/ = std::nullopt) const {
    tern::detail::raise<NotImplementedError>("state_dict: this sampler has none");
  }
  /// Goes on from there. Throws Error, and changes nothing, for what a sampler of this kind and
  /// size cannot have saved.
  virtual void load_state_dict(const State& /*state*/) {
    tern::detail::raise<NotImplementedError>("load_state_dict: this sampler has none");
  }
};

/// 0, 1, 2, ...
class TERN_API SequentialSampler : public Sampler<> {
 public:
  explicit SequentialSampler(std::size_t size) : size_(size) {}

  void reset(std::optional<std::size_t> new_size = std::nullopt) override;
  std::optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
  State state_dict(std::optional<std::size_t> given = std::nullopt) const override;
  void load_state_dict(const State& state) override;
  /// How many indices were given since the last reset.
  std::size_t index() const { return index_; }

 private:
  std::size_t size_;
  std::size_t index_ = 0;
};

/// Every index once, in an order from the CPU's default generator.
///
/// Draws as libtorch's does: randperm(size) in the constructor and again at each reset.
class TERN_API RandomSampler : public Sampler<> {
 public:
  /// `index_dtype` changes nothing; it is taken because libtorch's does.
  explicit RandomSampler(std::int64_t size, ScalarType index_dtype = kLong);

  void reset(std::optional<std::size_t> new_size = std::nullopt) override;
  std::optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
  State state_dict(std::optional<std::size_t> given = std::nullopt) const override;
  void load_state_dict(const State& state) override;
  std::size_t index() const { return index_; }

 private:
  std::vector<std::int64_t> order_;
  std::size_t index_ = 0;
};

/// SequentialSampler that draws what Python's DataLoader without shuffle draws: two words of the
/// CPU's default generator at each reset (there the base seed of the workers).
class TERN_API PythonSequentialSampler : public SequentialSampler {
 public:
  using SequentialSampler::SequentialSampler;
  void reset(std::optional<std::size_t> new_size = std::nullopt) override;
};

/// Shuffles as Python's DataLoader(shuffle=True) does: at each reset two words as above, then two
/// that seed a private generator, whose randperm is the order. Same seed, same batches as there.
class TERN_API PythonRandomSampler : public Sampler<> {
 public:
  explicit PythonRandomSampler(std::size_t size) : size_(size) {}

  void reset(std::optional<std::size_t> new_size = std::nullopt) override;
  std::optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
  State state_dict(std::optional<std::size_t> given = std::nullopt) const override;
  void load_state_dict(const State& state) override;
  std::size_t index() const { return index_; }

 private:
  std::size_t size_;
  std::vector<std::int64_t> order_;
  std::size_t index_ = 0;
};

}  // namespace tern::data::samplers
