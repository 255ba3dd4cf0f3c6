#pragma once

#include <cstddef>
#include <initializer_list>

#include <tern/core/base/detail/op_scope.h>
#include <tern/core/base/profile_scope.h>
#include <tern/core/ops/common/detail/autocast.h>
#include <tern/core/tensor/tensor.h>

// The checks at the start of every public op.

namespace tern::detail {

/// Throws Error with PyTorch's text for the first undefined argument. `names` are the arguments as
/// written: "self, other".
[[noreturn]] __attribute__((cold)) void undefined_argument(const char* names,
                                                           std::initializer_list<bool> undefined);

inline bool is_undefined(const Tensor& tensor) { return !tensor.defined(); }
template <class T>
bool is_undefined(const T&) {
  return false;
}

/// Throws Error with PyTorch's text for the first undefined tensor of a list.
void check_all_defined(TensorList tensors);

// What an op rarely does is one function for all ops whose arguments have the same types.
template <class... Args>
[[noreturn, gnu::noinline]] __attribute__((cold)) void undefined_among(const char* names,
                                                                       const Args&... args) {
  undefined_argument(names, {is_undefined(args)...});
}

template <class... Args>
inline void check_arguments(const char* names, const Args&... args) {
  if ((is_undefined(args) || ...)) [[unlikely]]
    undefined_among(names, args...);
}

/// An argument of an op whose sizes a profile may record.
struct OpInput {
  const Tensor* tensors = nullptr;  // null for an argument that is no tensor
  std::size_t count = 0;
  bool is_list = false;
};
inline OpInput op_input(const Tensor& tensor) { return {&tensor, 1, false}; }
inline OpInput op_input(const TensorList& tensors) {
  return {tensors.data(), tensors.size(), true};
}
template <class T>
OpInput op_input(const T&) {
  return {};
}

/// Begins the event of an op and records the sizes of its inputs if the profile wants them.
void begin_op(ProfileScope& scope, const char* name,
              std::initializer_list<OpInput> inputs) noexcept;

template <class... Args>
[[gnu::noinline, gnu::cold]] void begin_op_with(ProfileScope& scope, const char* name,
                                                const Args&... args) noexcept {
  begin_op(scope, name, {op_input(args)...});
}

/// Records an op in the running profile.
class OpProfile {
 public:
  template <class... Args>
  explicit OpProfile(const char* name, const Args&... args) noexcept {
    if (is_profiled()) [[unlikely]]
      begin_op_with(scope_, name, args...);
  }

 private:
  ProfileScope scope_;
};

}  // namespace tern::detail

/// Starts a public op: errors name `name` until the function returns, also errors in ops that the
/// function calls. `name` must be a string literal, with a `_` at the end for an in-place op. The
/// arguments follow in their order, so that the error for an undefined tensor gives its number.
/// List no tensor that may be undefined. Arguments of other types are only counted. A profile
/// records the op with the sizes of these tensors.
///
/// Example:
///   Tensor add(const Tensor& self, const Tensor& other, const Scalar& alpha) {
///     TERN_OP("add", self, other);
#define TERN_OP(name, ...)                                                  \
  const ::tern::detail::OpScope tern_op_scope(name);                        \
  ::tern::detail::check_arguments(#__VA_ARGS__ __VA_OPT__(, ) __VA_ARGS__); \
  const ::tern::detail::OpProfile tern_op_profile(name __VA_OPT__(, ) __VA_ARGS__)
