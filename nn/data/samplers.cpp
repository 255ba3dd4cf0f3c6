#include <tern/nn/data/samplers.h>

#include <algorithm>
#include <mutex>
#include <numeric>

#include <tern/core/base/error.h>
#include <tern/core/tensor/generator.h>

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
  const std::size_t count = std::min(batch_size, order.size() - index);
  if (count == 0) return std::nullopt;
  const auto begin = order.begin() + static_cast<std::ptrdiff_t>(index);
  index += count;
  return std::vector<std::size_t>(begin, begin + static_cast<std::ptrdiff_t>(count));
}

State state_of(std::size_t size, std::size_t index) {
  State state;
  state.insert("size", size);
  state.insert("index", std::min(index, size));
  return state;
}

State state_of(const std::vector<std::int64_t>& order, std::size_t index) {
  State state = state_of(order.size(), index);
  const Tensor tensor =
      tern::detail::make_tensor({static_cast<std::int64_t>(order.size())}, kLong, kCPU);
  std::ranges::copy(order, tensor.data_ptr<std::int64_t>());
  state.insert("order", tensor);
  return state;
}

/// Reads the index of a state, which must be for `size` examples.
std::size_t index_of(const char* sampler, const State& state, std::size_t size) {
  const auto saved = state.get<std::size_t>("size"), index = state.get<std::size_t>("index");
  TERN_CHECK(saved == size, Error, sampler, ": the state has ", saved,
             " examples, but this sampler has ", size);
  TERN_CHECK(index <= size, Error, sampler, ": the index of the state must be at most ", size,
             ", got ", index);
  return index;
}

/// Reads the order of a state, which must contain each of `size` examples once.
std::vector<std::int64_t> order_of(const char* sampler, const State& state, std::size_t size) {
  const Tensor tensor = state.get<Tensor>("order");
  TERN_CHECK(tensor.dtype() == kLong && tensor.dim() == 1 &&
                 tensor.size(0) == static_cast<std::int64_t>(size),
             Error, sampler, ": the order must have dtype Long and shape [", size, "], got ",
             tensor.dtype(), " and ", tensor.sizes());
  std::vector<std::int64_t> order = tensor.to_vector<std::int64_t>();
  std::vector<bool> seen(size);
  for (const std::int64_t i : order) {
    TERN_CHECK(i >= 0 && static_cast<std::size_t>(i) < size && !seen[static_cast<std::size_t>(i)],
               Error, sampler, ": the order must have each index from 0 to ", size - 1,
               " once, got a wrong or second ", i);
    seen[static_cast<std::size_t>(i)] = true;
  }
  return order;
}

}  // namespace

void SequentialSampler::reset(std::optional<std::size_t> new_size) {
  size_ = new_size.value_or(size_);
  index_ = 0;
}

std::optional<std::vector<std::size_t>> SequentialSampler::next(std::size_t batch_size) {
  const std::size_t count = std::min(batch_size, size_ - index_);
  if (count == 0) return std::nullopt;
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
  TERN_CHECK(size >= 0, Error, "RandomSampler: the size must not be negative, got ", size);
  RandomSampler::reset(static_cast<std::size_t>(size));
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

void PythonRandomSampler::reset(std::optional<std::size_t> new_size) {
  size_ = new_size.value_or(size_);
  const std::uint64_t seed = with_engine([](Mt19937& engine) {
    engine.next64();
    return engine.next64();
  });
  Mt19937 own(seed);
  order_ = random_order(own, size_);
  index_ = 0;
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
  const std::size_t index = index_of("PythonRandomSampler", state, size_);
  const bool drawn = state.get<Tensor>("order").numel() > 0;  // empty before the first reset
  order_ = order_of("PythonRandomSampler", state, drawn ? size_ : 0);
  index_ = std::min(index, order_.size());
}

}  // namespace tern::data::samplers
