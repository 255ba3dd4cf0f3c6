#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <tern/nn/data/samplers/drawn.h>

namespace tern::data::samplers {

/// Divides the examples among processes: every rank of `num_replicas` processes gets its own share.
/// With `allow_duplicates` some examples come twice where the division leaves a rest, otherwise
/// some do not come at all; so all shares are equal.
class TERN_API DistributedSampler : public DrawnSampler {
 public:
  /// Sets the epoch, which decides how DistributedRandomSampler shuffles. Call it before each
  /// epoch, with the same number in every process.
  void set_epoch(std::size_t epoch) { epoch_ = epoch; }
  /// Returns the epoch.
  std::size_t epoch() const { return epoch_; }
  /// Returns the number of examples of this rank.
  std::size_t count() const override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;

 protected:
  /// Throws Error unless rank < num_replicas.
  DistributedSampler(const char* name, std::size_t size, std::size_t num_replicas, std::size_t rank,
                     bool allow_duplicates);
  /// Returns the rank of this process.
  std::size_t rank() const { return rank_; }
  /// Returns the number of processes.
  std::size_t num_replicas() const { return num_replicas_; }

 private:
  std::size_t num_replicas_;
  std::size_t rank_;
  std::size_t epoch_ = 0;
  bool allow_duplicates_;
};

/// Shuffles the examples and returns those of one rank, as libtorch's sampler: std::shuffle with
/// std::mt19937(epoch), then a consecutive part for each rank.
///
/// Example:
///   samplers::DistributedRandomSampler sampler(size, /*num_replicas=*/4, rank);
///   sampler.set_epoch(epoch);
class TERN_API DistributedRandomSampler : public DistributedSampler {
 public:
  /// Samples the examples of `rank`. Throws Error unless rank < num_replicas.
  explicit DistributedRandomSampler(StrictInteger<std::size_t> size,
                                    StrictInteger<std::size_t> num_replicas = 1,
                                    StrictInteger<std::size_t> rank = 0,
                                    StrictBool allow_duplicates = true);
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;

 protected:
  std::vector<std::int64_t> draw() override;
};

/// Returns the examples of one rank in order, as libtorch's sampler: a consecutive part for each
/// rank, and the first examples again where the last part has too few.
class TERN_API DistributedSequentialSampler : public DistributedSampler {
 public:
  /// Samples the examples of `rank`. Throws Error unless rank < num_replicas.
  explicit DistributedSequentialSampler(StrictInteger<std::size_t> size,
                                        StrictInteger<std::size_t> num_replicas = 1,
                                        StrictInteger<std::size_t> rank = 0,
                                        StrictBool allow_duplicates = true);

 protected:
  std::vector<std::int64_t> draw() override;
};

/// Divides the examples as Python's torch.utils.data.DistributedSampler: shuffled by randperm with
/// the seed `seed + epoch`, then every num_replicas-th example from `rank` on. Without `drop_last`
/// the first examples come again where the division leaves a rest; with it the last are left out.
///
/// The state is the same on all ranks that are equally far. Any number of ranks may continue from
/// it: they divide the examples of the epoch that no rank has had.
///
/// Example:
///   samplers::PythonDistributedSampler sampler(size, 4, rank);
///   for (int epoch = 0; epoch < epochs; ++epoch) {
///     loader->sampler().set_epoch(epoch);
///     for (auto& batch : *loader) train(batch);
///   }
class TERN_API PythonDistributedSampler : public DrawnSampler {
 public:
  /// Samples the examples of `rank`. Throws Error unless rank < num_replicas.
  PythonDistributedSampler(StrictInteger<std::size_t> size, StrictInteger<std::size_t> num_replicas,
                           StrictInteger<std::size_t> rank, StrictBool shuffle = true,
                           StrictInteger<std::uint64_t> seed = 0, StrictBool drop_last = false);
  /// Sets the epoch, which is added to the seed. Without it every epoch has the same order.
  void set_epoch(std::size_t epoch) { epoch_ = epoch; }
  /// Returns the epoch.
  std::size_t epoch() const { return epoch_; }
  /// Returns the number of examples of this rank.
  std::size_t count() const override;
  State state_dict(std::optional<std::size_t> given = std::nullopt) const override;
  /// Continues, in the middle of an epoch too. Also reads the states of earlier builds, which are
  /// for the same rank of as many. Throws Error for the state of another number of examples.
  void load_state_dict(const State& state) override;

 protected:
  std::vector<std::int64_t> draw() override;

 private:
  // The number of examples of a rank when all ranks have had `consumed`.
  std::size_t count_from(std::size_t consumed) const;
  // This rank's part of the epoch's order.
  std::vector<std::int64_t> indices() const;
  // What all ranks have had when this one has had `index`.
  std::size_t consumed_at(std::size_t index) const {
    return consumed_ + (index - from_) * num_replicas_;
  }

  std::size_t num_replicas_;
  std::size_t rank_;
  std::uint64_t seed_;
  std::size_t epoch_ = 0;
  bool shuffle_;
  bool drop_last_;
  std::vector<std::int64_t> all_;  // the epoch's order
  // A state that was loaded: other numbers of ranks have had `consumed_` examples of the order, and
  // each rank of the last number `from_`.
  std::size_t consumed_ = 0, from_ = 0;
};

}  // namespace tern::data::samplers
