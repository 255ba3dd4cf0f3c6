#pragma once

#include <cstdint>

#include <tern/core/tensor/state.h>
#include <tern/core/tensor/tensor.h>

// What most metrics store: a vector of sums on the device of the last batch. It is replaced and
// never changed in place, because copies of a metric and its states share it.

namespace tern::metrics::detail {

/// The key of the sums in a state.
inline constexpr const char* kSums = "sums";

/// Adds `amounts` on their device. Undefined sums count as 0.
void add_to(Tensor& sums, const Tensor& amounts);

/// Returns the sums on the CPU, `count` zeros if they are undefined. Waits for the device.
Tensor on_host(const Tensor& sums, std::int64_t count, ScalarType dtype = kLong);

/// Returns the sums in a state, checked. `metric` is the name in error texts.
Tensor loaded_sums(const State& state, const char* metric, std::int64_t count,
                   ScalarType dtype = kLong);

/// Returns a float64 tensor without dimensions.
Tensor number(double value);

}  // namespace tern::metrics::detail
