#include <tern/nn/data/samplers.h>

#include <algorithm>
#include <mutex>
#include <numeric>

#include <tern/core/base/error.h>
#include <tern/core/tensor/generator.h>
#include <tern/nn/data/detail/sampler_state.h>

namespace tern::data::samplers {
namespace {

/// Calls `draw` with the engine of the CPU's default generator under its lock.
template <class Draw>
auto with_engine(Draw draw) {
  const Generator& generator = default_generator(kCPU);
  const std::lock_guard lock(generator.mutex());
  return draw(generator.engine());
}

std::vector<std::int64_t> random_order(Mt19937& engine, std::size_t size) {
  std::vector<std::int64_t> order(size);
  randperm(engine, order.data(), static_cast<std::int64_t>(size));
  return order;
}

/// Returns the next at most `batch_size` elements of `order` and moves `index` past them.
std::optional<std::vector<std::size_t>> take(const std::vector<std::int64_t>& order,
                                             std::size_t& index, std::size_t batch_size) {
  if (index == order.size()) return std::nullopt;
  const std::size_t count = std::min(batch_size, order.size() - index);
  const auto begin = order.begin() + static_cast<std::ptrdiff_t>(index);
  index += count;
  return std::vector<std::size_t>(begin, begin + static_cast<std::ptrdiff_t>(count));
}

using detail::state_of;

/// Reads the index of a state, which must be for `size` examples.
std::size_t index_of(const char* sampler, const State& state, std::size_t size) {
  return detail::index_of(sampler, state, size, size);
}

/// Reads the order of a state, which must contain each of `size` examples once.
std::vector<std::int64_t> order_of(const char* sampler, const State& state, std::size_t size) {
  std::vector<std::int64_t> order = detail::indices_of(sampler, state, size, size);
  std::vector<bool> seen(size);
  for (const std::int64_t i : order) {
    TERN_CHECK(!seen[static_cast<std::size_t>(i)], Error, sampler,
               ": the order must have each index from 0 to ", size - 1, " once, got a second ", i);
    seen[static_cast<std::size_t>(i)] = true;
  }
  return order;
}

}  // namespace

SequentialSampler::SequentialSampler(std::size_t size)
    : size_(detail::checked_size("SequentialSampler", size)) {}

void SequentialSampler::reset(std::optional<std::size_t> new_size) {
  size_ = new_size.value_or(size_);
  index_ = 0;
}

std::optional<std::vector<std::size_t>> SequentialSampler::next(std::size_t batch_size) {
  if (index_ == size_) return std::nullopt;
  const std::size_t count = std::min(batch_size, size_ - index_);
  std::vector<std::size_t> indices(count);
  std::iota(indices.begin(), indices.end(), index_);
  index_ += count;
  return indices;
}

State SequentialSampler::state_dict(std::optional<std::size_t> given) const {
  return state_of(size_, given.value_or(index_));
}

void SequentialSampler::load_state_dict(const State& state) {
  index_ = index_of("SequentialSampler", state, size_);
}

RandomSampler::RandomSampler(std::int64_t size, ScalarType) {
  RandomSampler::reset(detail::checked_size("RandomSampler", static_cast<std::size_t>(size)));
}

void RandomSampler::reset(std::optional<std::size_t> new_size) {
  const std::size_t size = new_size.value_or(order_.size());
  order_ = with_engine([&](Mt19937& engine) { return random_order(engine, size); });
  index_ = 0;
}

std::optional<std::vector<std::size_t>> RandomSampler::next(std::size_t batch_size) {
  return take(order_, index_, batch_size);
}

State RandomSampler::state_dict(std::optional<std::size_t> given) const {
  return state_of(order_, given.value_or(index_));
}

void RandomSampler::load_state_dict(const State& state) {
  const std::size_t index = index_of("RandomSampler", state, order_.size());
  order_ = order_of("RandomSampler", state, order_.size());
  index_ = index;
}

void PythonSequentialSampler::reset(std::optional<std::size_t> new_size) {
  SequentialSampler::reset(new_size);
  with_engine([](Mt19937& engine) { engine.next64(); });
}

PythonRandomSampler::PythonRandomSampler(std::size_t size, PythonRandomSamplerOptions options)
    : size_(detail::checked_size("PythonRandomSampler", size)), options_(std::move(options)) {
  const auto samples = options_.num_samples().value_or(static_cast<std::int64_t>(size));
  TERN_CHECK(samples > 0, Error,
             "PythonRandomSampler: num_samples should be a positive integer value, but got "
             "num_samples=",
             samples);
}

std::size_t PythonRandomSampler::count() const {
  return size_ == 0 ? 0
                    : static_cast<std::size_t>(
                          options_.num_samples().value_or(static_cast<std::int64_t>(size_)));
}

void PythonRandomSampler::reset(std::optional<std::size_t> new_size) {
  size_ = new_size.value_or(size_);
  index_ = 0;
  const auto draw = [&](Mt19937& engine) {
    std::vector<std::int64_t> order;
    if (options_.replacement()) {
      order.resize(count());
      for (std::int64_t& index : order) {  // as randint() draws
        const std::uint64_t word = size_ < std::size_t{1} << 28 ? engine.next32() : engine.next64();
        index = static_cast<std::int64_t>(word % size_);
      }
    } else {
      while (order.size() + size_ <= count() && size_ > 0) {
        const std::vector<std::int64_t> all = random_order(engine, size_);
        order.insert(order.end(), all.begin(), all.end());
      }
      // Python draws a last permutation even if it needs none of it.
      if (options_.generator() || order.size() < count()) {
        const std::vector<std::int64_t> all = random_order(engine, size_);
        const auto rest = static_cast<std::ptrdiff_t>(count() - order.size());
        order.insert(order.end(), all.begin(), all.begin() + rest);
      }
    }
    return order;
  };
  if (options_.generator()) {
    const Generator& generator = *options_.generator();
    const std::lock_guard lock(generator.mutex());
    generator.engine().next64();
    order_ = draw(generator.engine());
    return;
  }
  const std::uint64_t seed = with_engine([](Mt19937& engine) {
    engine.next64();
    return engine.next64();
  });
  Mt19937 own(seed);
  order_ = draw(own);
}

std::optional<std::vector<std::size_t>> PythonRandomSampler::next(std::size_t batch_size) {
  return take(order_, index_, batch_size);
}

State PythonRandomSampler::state_dict(std::optional<std::size_t> given) const {
  State state = state_of(order_, given.value_or(index_));
  state.set("size", size_);
  return state;
}

void PythonRandomSampler::load_state_dict(const State& state) {
  const bool drawn = state.get<Tensor>("order").numel() > 0;  // empty before the first reset
  if (!options_.replacement() && count() == size_) {
    const std::size_t index = index_of("PythonRandomSampler", state, size_);
    order_ = order_of("PythonRandomSampler", state, drawn ? size_ : 0);
    index_ = std::min(index, order_.size());
    return;
  }
  std::vector<std::int64_t> order =
      detail::indices_of("PythonRandomSampler", state, size_, drawn ? count() : 0);
  index_ = detail::index_of("PythonRandomSampler", state, size_, order.size());
  order_ = std::move(order);
}

}  // namespace tern::data::samplers
