#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <tern/core/base/error.h>
#include <tern/nn/data/samplers.h>

namespace tern::data::samplers {

namespace detail {
/// Throws Error unless the batch size is positive.
TERN_API void check_batch_size(std::int64_t batch_size);
}  // namespace detail

/// Cuts the indices of another sampler into batches of a fixed size, as
/// torch.utils.data.BatchSampler. The batch size that the loader asks for has no effect.
///
/// Example:
///   samplers::BatchSampler batches(samplers::SequentialSampler(10), 3, /*drop_last=*/false);
///   while (auto indices = batches.next()) use(*indices);
template <class Base = SequentialSampler>
class BatchSampler : public Sampler<typename Base::BatchRequestType> {
 public:
  /// The type of a batch of indices.
  using BatchRequestType = typename Base::BatchRequestType;

  /// Cuts the indices of `sampler`. Throws Error unless `batch_size` is positive.
  BatchSampler(Base sampler, StrictInt batch_size, StrictBool drop_last)
      : sampler_(std::move(sampler)),
        batch_size_(static_cast<std::size_t>(std::int64_t{batch_size})),
        drop_last_(drop_last) {
    detail::check_batch_size(batch_size);
  }

  void reset(std::optional<std::size_t> new_size = std::nullopt) override {
    sampler_.reset(new_size);
  }
  /// Returns the next batch, or nullopt at the end.
  std::optional<BatchRequestType> next(std::size_t /*ignored*/ = 0) override {
    std::optional<BatchRequestType> batch = sampler_.next(batch_size_);
    if (batch && drop_last_ && batch->size() < batch_size_) return std::nullopt;
    return batch;
  }
  State state_dict(std::optional<std::size_t> given = std::nullopt) const override {
    return sampler_.state_dict(given);
  }
  void load_state_dict(const State& state) override { sampler_.load_state_dict(state); }
  void save(serialize::OutputArchive& archive) const override { sampler_.save(archive); }
  void load(serialize::InputArchive& archive) override { sampler_.load(archive); }

  /// Returns the sampler whose indices are cut.
  const Base& sampler() const { return sampler_; }

 private:
  Base sampler_;
  std::size_t batch_size_;
  bool drop_last_;
};

}  // namespace tern::data::samplers
