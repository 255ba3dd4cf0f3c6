#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

#include <tern/core/tensor/tensor.h>
#include <tern/nn/data/example.h>

// Batches in pinned memory, which a GPU can access directly.

namespace tern::data {
namespace detail {

/// Returns true if there is a GPU that can use pinned memory.
TERN_API bool can_pin();

template <class T>
concept Pins = !std::is_const_v<T> && requires(T & value) {
  { value.pin_memory() } -> std::convertible_to<T>;
};

template <class T>
void pin(T& value) {
  if constexpr (std::same_as<T, Tensor>) {
    if (value.defined()) value = value.pin_memory();
  } else if constexpr (Pins<T>) {
    value = value.pin_memory();
  } else if constexpr (requires { typename T::TargetType; }) {  // an Example
    pin(value.data);
    if constexpr (!std::is_void_v<typename T::TargetType>) pin(value.target);
  } else if constexpr (requires { std::tuple_size<T>::value; }) {
    std::apply([](auto&... parts) { (pin(parts), ...); }, value);
  } else if constexpr (requires {
                         value.has_value();
                         *value;
                       }) {
    if (value.has_value()) pin(*value);
  } else if constexpr (requires { value.begin() != value.end(); }) {
    for (auto&& element : value) pin(element);
  }
}

}  // namespace detail

/// Returns `batch` with its tensors in pinned memory, so that copies to a GPU run while the host
/// continues. Also pins tensors in examples, containers, pairs, tuples and optionals, and every
/// type whose pin_memory() returns the type itself. Everything else is unchanged. Throws
/// DeviceError if there is no CUDA.
template <class Batch>
Batch pin_memory(Batch batch) {
  detail::pin(batch);
  return batch;
}

}  // namespace tern::data
