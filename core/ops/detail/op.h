#pragma once

#include <initializer_list>

#include <tern/core/base/detail/op_scope.h>
#include <tern/core/tensor/tensor.h>

// The first line of a public op.

namespace tern::detail {

/// Throws Error with PyTorch's text about the first argument that is undefined. `names` are the
/// arguments as written: "self, other".
[[noreturn]] __attribute__((cold)) void undefined_argument(const char* names,
                                                           std::initializer_list<bool> undefined);

inline bool is_undefined(const Tensor& tensor) { return !tensor.defined(); }
template <class T>
bool is_undefined(const T&) {
  return false;
}

template <class... Args>
inline void check_arguments(const char* names, const Args&... args) {
  if ((is_undefined(args) || ...)) [[unlikely]] {
    undefined_argument(names, {is_undefined(args)...});
  }
}

}  // namespace tern::detail

/// The first line of a public op: errors name `name` until the function returns, also where an op
/// fails that this one calls. `name` is a literal, with a `_` at the end for an in-place form. The
/// arguments follow in their order; an undefined tensor among them is an error. List no argument
/// that may be undefined. Arguments of other types are listed only for their
/// place in the order.
///
/// Example:
///   Tensor add(const Tensor& self, const Tensor& other, const Scalar& alpha) {
///     TERN_OP("add", self, other);
#define TERN_OP(name, ...)                           \
  const ::tern::detail::OpScope tern_op_scope(name); \
  ::tern::detail::check_arguments(#__VA_ARGS__ __VA_OPT__(, ) __VA_ARGS__)
