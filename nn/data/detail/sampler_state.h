#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tern/core/tensor/state.h>

// The states of samplers: the number of examples, the index and the order.

namespace tern::data::samplers::detail {

/// Returns `size`. Throws Error if it was a negative number, as in samplers::SequentialSampler(-1).
std::size_t checked_size(const char* sampler, std::size_t size);

/// Returns the state of a sampler without an order.
State state_of(std::size_t size, std::size_t index);
/// Returns the state of a sampler with an order.
State state_of(const std::vector<std::int64_t>& order, std::size_t index);
/// Reads the index, which must be at most `count`, of a state for `size` examples.
std::size_t index_of(const char* sampler, const State& state, std::size_t size, std::size_t count);
/// Reads the order, which must have `count` indices below `size`.
std::vector<std::int64_t> indices_of(const char* sampler, const State& state, std::size_t size,
                                     std::size_t count);

}  // namespace tern::data::samplers::detail
