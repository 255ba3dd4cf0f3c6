#pragma once

namespace tern::nn::detail {

/// The class of the module that T is or holds.
template <class T>
struct ImplOf {
  using type = T;
};
template <class T>
requires requires { typename T::ContainedType; }
struct ImplOf<T> {
  using type = typename T::ContainedType;
};

}  // namespace tern::nn::detail
