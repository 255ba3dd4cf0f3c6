#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <tern/compat/names/at.h>
#include <tern/core/ops/ops.h>

// torch/csrc/utils: arguments in any number, and tensors in one.

namespace at {
/// A visitor of arguments: calls operator() of the derived class with each of them, and with each
/// element of those that are lists, until short_circuit() returns true.
template <class F>
struct IterArgs {
  /// Visits all arguments and returns the visitor.
  template <class... Args>
  F& apply(Args&&... args) {
    static_cast<void>(((self()(std::forward<Args>(args)), self().short_circuit()) || ...));
    return self();
  }
  /// Visits the elements of a list.
  template <class T>
  void operator()(::tern::ArrayRef<T> list) {
    for (const T& element : list) {
      self()(element);
      if (self().short_circuit()) return;
    }
  }
  template <class T>
  void operator()(const std::vector<T>& list) {
    self()(::tern::ArrayRef<T>(list));
  }
  /// Returns true when the rest need not be visited.
  bool short_circuit() const { return false; }

 private:
  F& self() { return *static_cast<F*>(this); }
};
}  // namespace at

namespace torch {

/// Counts tensors.
struct CountTensors : at::IterArgs<CountTensors> {
  /// The number so far.
  std::size_t out = 0;
  /// Counts the tensors of an argument.
  void operator()(const ::tern::Tensor& /*tensor*/) { ++out; }
  /// Counts the tensors of an argument.
  void operator()(const std::optional<::tern::Tensor>& tensor) { out += tensor ? 1U : 0U; }
  /// Counts the tensors of an argument.
  void operator()(::tern::ArrayRef<::tern::Tensor> tensors) { out += tensors.size(); }
};
/// Returns the number of tensors among the arguments and in their lists.
template <class... Args>
std::size_t count_tensors(Args&&... args) {
  return CountTensors().apply(std::forward<Args>(args)...).out;
}
/// Returns the same.
template <class... Args>
std::size_t count_variables(Args&&... args) {
  return count_tensors(std::forward<Args>(args)...);
}

/// Calls `function` with each argument.
template <class Function, class... Ts>
void apply(Function function, Ts&&... ts) {
  (static_cast<void>(function(std::forward<Ts>(ts))), ...);
}

/// Returns `function(accessor.operator()<Ts>(0), accessor.operator()<Ts>(1), ..)`.
template <class ReturnType, class... Ts, class Function, class Accessor, std::size_t... Is>
ReturnType unpack(Function function, Accessor accessor, std::index_sequence<Is...> /*indices*/) {
  return ReturnType(function(accessor.template operator()<Ts>(Is)...));
}
template <class ReturnType, class... Ts, class Function, class Accessor>
ReturnType unpack(Function function, Accessor accessor) {
  return torch::unpack<ReturnType, Ts...>(std::move(function), std::move(accessor),
                                          std::make_index_sequence<sizeof...(Ts)>());
}

namespace utils {
/// Returns the elements of all tensors in one dimension.
inline ::tern::Tensor flatten_dense_tensors(::tern::TensorList tensors) {
  std::vector<::tern::Tensor> flat;
  for (const ::tern::Tensor& tensor : tensors) flat.push_back(tensor.contiguous().view({-1}));
  return ::tern::cat(flat);
}
/// Returns views of `flat` with the sizes of `tensors`.
inline std::vector<::tern::Tensor> unflatten_dense_tensors(const ::tern::Tensor& flat,
                                                           ::tern::TensorList tensors) {
  std::vector<::tern::Tensor> parts;
  std::int64_t offset = 0;
  for (const ::tern::Tensor& tensor : tensors) {
    parts.push_back(flat.narrow(0, offset, tensor.numel()).view(tensor.sizes()));
    offset += tensor.numel();
  }
  return parts;
}
}  // namespace utils

}  // namespace torch
