#pragma once

#include <utility>

#include <tern/core/base/strict.h>

namespace tern::nn::detail {

/// A class that stands for one value of an option, such as torch::enumtype::kMean of compat for
/// kMean: an Option can be made of T::value.
template <class T, class Option>
concept ConstantOf = requires {
  Option(T::value);
};

}  // namespace tern::nn::detail

// NOLINTBEGIN(bugprone-macro-parentheses): types and names take none.

/// Declares one field of an options struct with its accessors, in the struct's body. The setter of
/// a bool rejects numbers and text; the setter of an int64 rejects bools.
///
/// Example:
///   struct DropoutOptions {
///     TERN_ARG(double, p) = 0.5;
///     TERN_ARG(bool, inplace) = false;
///   };
///   auto options = DropoutOptions().p(0.1).inplace(true);
///   double p = options.p();
#define TERN_ARG(Type, name)                            \
 public:                                                \
  auto& name(::tern::detail::Argument<Type> value) {    \
    name##_ = std::move(value);                         \
    return *this;                                       \
  }                                                     \
  Type& name() noexcept { return name##_; }             \
  const Type& name() const noexcept { return name##_; } \
                                                        \
 private:                                               \
  Type name##_

// NOLINTEND(bugprone-macro-parentheses)
