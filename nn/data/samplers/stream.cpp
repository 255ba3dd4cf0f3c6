#include <tern/nn/data/samplers/stream.h>

#include <algorithm>

#include <tern/core/base/error.h>
#include <tern/nn/data/detail/sampler_state.h>
#include <tern/nn/data/samplers/batch.h>

namespace tern::data::samplers {

CustomBatchRequest::~CustomBatchRequest() = default;

StreamSampler::StreamSampler(std::size_t epoch_size)
    : epoch_size_(detail::checked_size("StreamSampler", epoch_size)) {}

void StreamSampler::reset(std::optional<std::size_t> new_size) {
  epoch_size_ = new_size.value_or(epoch_size_);
  index_ = 0;
}

std::optional<BatchSize> StreamSampler::next(std::size_t batch_size) {
  if (index_ == epoch_size_) return std::nullopt;
  const std::size_t count = std::min(batch_size, epoch_size_ - index_);
  index_ += count;
  return BatchSize(count);
}

State StreamSampler::state_dict(std::optional<std::size_t> given) const {
  return detail::state_of(epoch_size_, given.value_or(index_));
}

void StreamSampler::load_state_dict(const State& state) {
  index_ = detail::index_of("StreamSampler", state, epoch_size_, epoch_size_);
}

void detail::check_batch_size(std::int64_t batch_size) {
  TERN_CHECK(batch_size > 0, Error,
             "BatchSampler: batch_size should be a positive integer value, but got batch_size=",
             batch_size);
}

}  // namespace tern::data::samplers
