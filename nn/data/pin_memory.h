#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

#include <tern/core/tensor/tensor.h>
#include <tern/nn/data/example.h>

// Batches in memory that a GPU reaches by itself.

namespace tern::data {
namespace detail {

/// Whether there is a GPU that pinned memory could serve.
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

/// Returns `batch` with its tensors in pinned memory, from which a GPU copies while the host goes
/// on. Tensors in examples, containers, pairs, tuples and optionals are pinned, too, as is every
/// type with a pin_memory() that returns its own type. Everything else stays as it is. Throws
/// DeviceError when there is no CUDA.
template <class Batch>
Batch pin_memory(Batch batch) {
  detail::pin(batch);
  return batch;
}

}  // namespace tern::data
