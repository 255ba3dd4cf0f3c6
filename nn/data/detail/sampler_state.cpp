#include <tern/nn/data/detail/sampler_state.h>

#include <algorithm>

#include <tern/core/base/error.h>

namespace tern::data::samplers::detail {

std::size_t checked_size(const char* sampler, std::size_t size) {
  const auto given = static_cast<std::int64_t>(size);
  TERN_CHECK(given >= 0, Error, sampler, ": the size must not be negative, got ", given);
  return size;
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

std::size_t index_of(const char* sampler, const State& state, std::size_t size, std::size_t count) {
  const auto saved = state.get<std::size_t>("size"), index = state.get<std::size_t>("index");
  TERN_CHECK(saved == size, Error, sampler, ": the state has ", saved,
             " examples, but this sampler has ", size);
  TERN_CHECK(index <= count, Error, sampler, ": the index of the state must be at most ", count,
             ", got ", index);
  return index;
}

std::vector<std::int64_t> indices_of(const char* sampler, const State& state, std::size_t size,
                                     std::size_t count) {
  const Tensor tensor = state.get<Tensor>("order");
  TERN_CHECK(tensor.dtype() == kLong && tensor.dim() == 1 &&
                 tensor.size(0) == static_cast<std::int64_t>(count),
             Error, sampler, ": the order must have dtype Long and shape [", count, "], got ",
             tensor.scalar_type(), " and ", tensor.sizes());
  std::vector<std::int64_t> order = tensor.to_vector<std::int64_t>();
  for (const std::int64_t i : order) {
    TERN_CHECK(i >= 0 && static_cast<std::size_t>(i) < size, Error, sampler,
               ": the indices of the order must be from 0 to ", size - 1, ", got ", i);
  }
  return order;
}

}  // namespace tern::data::samplers::detail
