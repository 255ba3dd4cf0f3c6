#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <tern/core/tensor/generator.h>
#include <tern/nn/data/samplers.h>

namespace tern::data::samplers {

/// A sampler that draws all indices of an epoch at its reset, or at the first next() without one.
/// Override draw().
class TERN_API DrawnSampler : public Sampler<> {
 public:
  void reset(std::optional<std::size_t> new_size = std::nullopt) override;
  std::optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
  State state_dict(std::optional<std::size_t> given = std::nullopt) const override;
  void load_state_dict(const State& state) override;
  /// Returns the number of indices since the last reset.
  std::size_t index() const { return index_; }
  /// Returns the number of indices in an epoch.
  virtual std::size_t count() const = 0;

 protected:
  /// Samples from `size` examples. `name` stands in error texts.
  DrawnSampler(const char* name, std::size_t size);
  /// Returns the indices of an epoch.
  virtual std::vector<std::int64_t> draw() = 0;
  /// Returns the number of examples to sample from.
  std::size_t size() const { return size_; }
  /// Continues at `index` of `order`.
  void continue_with(std::vector<std::int64_t> order, std::size_t index);

 private:
  const char* name_;
  std::size_t size_;
  std::vector<std::int64_t> order_;
  std::size_t index_ = 0;
  bool is_drawn_ = false;
};

/// Returns chosen indices in a random order, as torch.utils.data.SubsetRandomSampler. An epoch
/// draws randperm(indices.size()) from `generator`, or from the CPU's default generator.
class TERN_API SubsetRandomSampler : public DrawnSampler {
 public:
  /// Samples `indices`.
  explicit SubsetRandomSampler(std::vector<std::size_t> indices,
                               std::optional<Generator> generator = std::nullopt);
  std::size_t count() const override { return indices_.size(); }
  /// Starts an epoch. Throws Error for a size, because the indices are fixed.
  void reset(std::optional<std::size_t> new_size = std::nullopt) override;

 protected:
  std::vector<std::int64_t> draw() override;

 private:
  std::vector<std::size_t> indices_;
  std::optional<Generator> generator_;
};

/// Returns index i with a probability proportional to weights[i], as
/// torch.utils.data.WeightedRandomSampler: rare classes can come as often as frequent ones. An
/// epoch draws multinomial(weights, num_samples, replacement), in float64, from `generator`, or
/// from the CPU's default generator.
///
/// Example:
///   std::vector<double> weights;
///   for (std::int64_t label : labels) weights.push_back(1.0 / count_of[label]);
///   samplers::WeightedRandomSampler sampler(weights, weights.size());
class TERN_API WeightedRandomSampler : public DrawnSampler {
 public:
  /// Samples from `weights.size()` examples, `num_samples` in an epoch. Throws Error if num_samples
  /// is not positive, for a weight that is negative or not finite, and without `replacement` for
  /// more samples than positive weights.
  WeightedRandomSampler(std::vector<double> weights, StrictInt num_samples,
                        StrictBool replacement = true,
                        std::optional<Generator> generator = std::nullopt);
  /// Takes the weights from a tensor. Throws Error unless it has one dimension.
  WeightedRandomSampler(const Tensor& weights, StrictInt num_samples, StrictBool replacement = true,
                        std::optional<Generator> generator = std::nullopt);
  std::size_t count() const override { return num_samples_; }
  /// Starts an epoch. Throws Error for a size, because the weights are fixed.
  void reset(std::optional<std::size_t> new_size = std::nullopt) override;

 protected:
  std::vector<std::int64_t> draw() override;

 private:
  std::vector<double> weights_;
  std::size_t num_samples_;
  bool replacement_;
  std::optional<Generator> generator_;
};

}  // namespace tern::data::samplers
