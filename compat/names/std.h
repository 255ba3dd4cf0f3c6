#pragma once

#include <map>
#include <ostream>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tern/core/tensor/scalar.h>

namespace tern::compat {
/// Returns a number in a form that no locale changes; returns other values unchanged.
template <class T>
decltype(auto) in_no_locale(const T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    return Scalar(value);
  } else if constexpr (std::is_integral_v<T> && sizeof(T) > 1) {
    return std::to_string(value);
  } else {
    return (value);
  }
}

/// Writes at most 100 elements with spaces between them.
template <class Sequence>
std::ostream& print_sequence(std::ostream& out, const Sequence& elements) {
  int index = 0;
  for (const auto& element : elements) {
    if (index == 100) return out << " ...";
    out << (index++ > 0 ? " " : "") << in_no_locale(element);
  }
  return out;
}
}  // namespace tern::compat

// libtorch prints containers of the standard library, too: the elements with spaces between them.
// NOLINTBEGIN(cert-dcl58-cpp): only there operator<< finds them
namespace std {
/// Prints a pair as libtorch does.
template <class First, class Second>
ostream& operator<<(ostream& out, const pair<First, Second>& both) {
  return out << '(' << ::tern::compat::in_no_locale(both.first) << ", "
             << ::tern::compat::in_no_locale(both.second) << ')';
}
/// Prints a vector as libtorch does.
template <class... Types>
ostream& operator<<(ostream& out, const vector<Types...>& elements) {
  return ::tern::compat::print_sequence(out, elements);
}
/// Prints a map as libtorch does.
template <class... Types>
ostream& operator<<(ostream& out, const map<Types...>& elements) {
  return ::tern::compat::print_sequence(out, elements);
}
/// Prints a set as libtorch does.
template <class... Types>
ostream& operator<<(ostream& out, const set<Types...>& elements) {
  return ::tern::compat::print_sequence(out, elements);
}
}  // namespace std
// NOLINTEND(cert-dcl58-cpp)
