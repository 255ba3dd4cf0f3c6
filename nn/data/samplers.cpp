#include <tern/nn/data/samplers.h>

#include <algorithm>
#include <mutex>
#include <numeric>

#include <tern/core/base/error.h>
#include <tern/core/tensor/generator.h>

namespace tern::data::samplers {
namespace {

/// Calls `draw` with the engine of the CPU's default generator, locked.
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

/// The next part of `order`, which has `index` behind it.
std::optional<std::vector<std::size_t>> take(const std::vector<std::int64_t>& order,
                                             std::size_t& index, std::size_t batch_size) {
  const std::size_t count = std::min(batch_size, order.size() - index);
  if (count == 0) return std::nullopt;
  const auto begin = order.begin() + static_cast<std::ptrdiff_t>(index);
  index += count;
  return std::vector<std::size_t>(begin, begin + static_cast<std::ptrdiff_t>(count));
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

RandomSampler::RandomSampler(std::int64_t size, ScalarType) {
  TERN_CHECK(size >= 0, Error, "RandomSampler: the size must not be negative, got ", size);
  reset(static_cast<std::size_t>(size));
}

void RandomSampler::reset(std::optional<std::size_t> new_size) {
  const std::size_t size = new_size.value_or(order_.size());
  order_ = with_engine([&](Mt19937& engine) { return random_order(engine, size); });
  index_ = 0;
}

std::optional<std::vector<std::size_t>> RandomSampler::next(std::size_t batch_size) {
  return take(order_, index_, batch_size);
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

}  // namespace tern::data::samplers
