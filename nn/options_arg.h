#pragma once

#include <utility>

/// One field of an options struct with its accessors, for the struct's body:
///   TERN_ARG(double, p) = 0.5;   gives   options.p()   and   options.p(0.1).p(..)...
#define TERN_ARG(Type, name)                            \
 public:                                                \
  auto& name(Type value) {                              \
    name##_ = std::move(value);                         \
    return *this;                                       \
  }                                                     \
  Type& name() noexcept { return name##_; }             \
  const Type& name() const noexcept { return name##_; } \
                                                        \
 private:                                               \
  Type name##_
