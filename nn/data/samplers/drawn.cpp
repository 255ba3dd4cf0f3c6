#include <tern/nn/data/samplers/drawn.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <tern/core/base/error.h>
#include <tern/core/ops/create/creation.h>
#include <tern/core/ops/create/random_integers.h>
#include <tern/core/ops/create/sample.h>
#include <tern/nn/data/detail/sampler_state.h>

namespace tern::data::samplers {
namespace {

std::size_t size_of(const std::vector<std::size_t>& indices) {
  return indices.empty() ? 0 : std::ranges::max(indices) + 1;
}

std::vector<double> weights_of(const Tensor& weights) {
  TERN_CHECK(weights.defined() && weights.dim() == 1, Error,
             "WeightedRandomSampler: weights should be a 1d sequence but given weights have shape ",
             weights.sizes());
  return weights.to(kCPU, kDouble).to_vector<double>();
}

}  // namespace

DrawnSampler::DrawnSampler(const char* name, std::size_t size)
    : name_(name), size_(detail::checked_size(name, size)) {}

void DrawnSampler::reset(std::optional<std::size_t> new_size) {
  size_ = new_size.value_or(size_);
  order_ = draw();
  index_ = 0;
  is_drawn_ = true;
}

std::optional<std::vector<std::size_t>> DrawnSampler::next(std::size_t batch_size) {
  if (!is_drawn_) reset();
  if (index_ == order_.size()) return std::nullopt;
  const std::size_t count = std::min(batch_size, order_.size() - index_);
  const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(index_);
  index_ += count;
  return std::vector<std::size_t>(begin, begin + static_cast<std::ptrdiff_t>(count));
}

State DrawnSampler::state_dict(std::optional<std::size_t> given) const {
  State state = detail::state_of(order_, given.value_or(index_));
  state.set("size", size_);
  return state;
}

void DrawnSampler::load_state_dict(const State& state) {
  const bool is_drawn = state.get<Tensor>("order").numel() > 0;  // empty before the first reset
  auto order = detail::indices_of(name_, state, size_, is_drawn ? count() : 0);
  index_ = detail::index_of(name_, state, size_, order.size());
  order_ = std::move(order);
  is_drawn_ = is_drawn;
}

void DrawnSampler::continue_with(std::vector<std::int64_t> order, std::size_t index) {
  order_ = std::move(order);
  index_ = index;
  is_drawn_ = true;
}

SubsetRandomSampler::SubsetRandomSampler(std::vector<std::size_t> indices,
                                         std::optional<Generator> generator)
    : DrawnSampler("SubsetRandomSampler", size_of(indices)),
      indices_(std::move(indices)),
      generator_(std::move(generator)) {}

void SubsetRandomSampler::reset(std::optional<std::size_t> new_size) {
  TERN_CHECK(!new_size, Error,
             "SubsetRandomSampler: the indices are fixed, so reset() takes no size, got ",
             *new_size);
  DrawnSampler::reset();
}

std::vector<std::int64_t> SubsetRandomSampler::draw() {
  const Tensor order = randperm(static_cast<std::int64_t>(indices_.size()), generator_,
                                TensorOptions(kLong).device(kCPU));
  std::vector<std::int64_t> drawn = order.to_vector<std::int64_t>();
  for (std::int64_t& i : drawn) {
    i = static_cast<std::int64_t>(indices_[static_cast<std::size_t>(i)]);
  }
  return drawn;
}

WeightedRandomSampler::WeightedRandomSampler(std::vector<double> weights, StrictInt num_samples,
                                             StrictBool replacement,
                                             std::optional<Generator> generator)
    : DrawnSampler("WeightedRandomSampler", weights.size()),
      weights_(std::move(weights)),
      num_samples_(static_cast<std::size_t>(std::int64_t{num_samples})),
      replacement_(replacement),
      generator_(std::move(generator)) {
  TERN_CHECK(
      num_samples > 0, Error,
      "WeightedRandomSampler: num_samples should be a positive integer value, but got num_samples=",
      std::int64_t{num_samples});
  std::size_t positive = 0;
  for (const double weight : weights_) {
    TERN_CHECK(std::isfinite(weight) && weight >= 0, Error,
               "WeightedRandomSampler: weights must be finite and not negative, got ", weight);
    if (weight > 0) ++positive;
  }
  TERN_CHECK(positive > 0, Error, "WeightedRandomSampler: at least one of the ", weights_.size(),
             " weights must be positive");
  TERN_CHECK(replacement_ || num_samples_ <= positive, Error, "WeightedRandomSampler: cannot draw ",
             num_samples_, " samples from ", positive,
             " positive weights without replacement; draw fewer, or use replacement=true");
}

WeightedRandomSampler::WeightedRandomSampler(const Tensor& weights, StrictInt num_samples,
                                             StrictBool replacement,
                                             std::optional<Generator> generator)
    : WeightedRandomSampler(weights_of(weights), num_samples, replacement, std::move(generator)) {}

void WeightedRandomSampler::reset(std::optional<std::size_t> new_size) {
  TERN_CHECK(!new_size, Error,
             "WeightedRandomSampler: the weights are fixed, so reset() takes no size, got ",
             *new_size);
  DrawnSampler::reset();
}

std::vector<std::int64_t> WeightedRandomSampler::draw() {
  const Tensor weights = tensor(weights_, TensorOptions(kDouble).device(kCPU));
  return multinomial(weights, static_cast<std::int64_t>(num_samples_), replacement_, generator_)
      .to_vector<std::int64_t>();
}

}  // namespace tern::data::samplers
