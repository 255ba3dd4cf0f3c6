#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <type_traits>
#include <vector>

#include <tern/core/base/array_ref.h>
#include <tern/core/base/error.h>
#include <tern/core/base/visibility.h>

namespace tern {

/// D numbers as an option, such as one for each dimension of an image: integers, or doubles. One
/// number stands for D equal ones.
///
/// Example:
///   nn::UnfoldOptions({2, 3}).stride(2);  // the stride is {2, 2}
template <std::size_t D, class T = std::int64_t>
class TERN_API ExpandingArray {
 public:
  /// Takes a list of D numbers. Throws ShapeError for another count.
  ExpandingArray(std::initializer_list<T> list)
      : ExpandingArray(ArrayRef<T>(list.begin(), list.size())) {}
  ExpandingArray(const std::vector<T>& list) : ExpandingArray(ArrayRef<T>(list)) {}
  ExpandingArray(ArrayRef<T> list) {
    TERN_CHECK(list.size() == D, ShapeError, "Expected ", D, " values, but instead got ",
               list.size());
    for (std::size_t i = 0; i < D; ++i) values_[i] = list[i];
  }
  ExpandingArray(const std::array<T, D>& list) : values_(list) {}
  /// Takes one number for all.
  template <class Number>
  requires(std::is_same_v<T, double> ? tern::detail::NumberArgument<Number>
                                     : tern::detail::IntArgument<Number>)
      ExpandingArray(const Number& all) {
    values_.fill(static_cast<T>(all));
  }

  /// Returns the numbers.
  std::array<T, D>& operator*() { return values_; }
  const std::array<T, D>& operator*() const { return values_; }
  /// Accesses the numbers.
  std::array<T, D>* operator->() { return &values_; }
  const std::array<T, D>* operator->() const { return &values_; }
  /// Returns the numbers as an argument of an op.
  operator ArrayRef<T>() const { return {values_.data(), D}; }

 private:
  std::array<T, D> values_;
};

/// Prints the numbers as a list, or a single number alone.
template <std::size_t D, class T>
std::ostream& operator<<(std::ostream& stream, const ExpandingArray<D, T>& array) {
  if constexpr (D == 1) {
    return tern::detail::print_text(stream, tern::detail::text_of(array->front()));
  } else {
    return stream << ArrayRef<T>(array);
  }
}

/// D integers as an option, some of which may be std::nullopt: their meaning is that of the option.
///
/// Example:
///   nn::AdaptiveAvgPool2dOptions({std::nullopt, 1});  // keeps the height
template <std::size_t D>
class TERN_API ExpandingArrayWithOptionalElem {
 public:
  /// Takes a list of D integers. Throws ShapeError for another count.
  ExpandingArrayWithOptionalElem(std::initializer_list<std::int64_t> list)
      : ExpandingArrayWithOptionalElem(ExpandingArray<D>(list)) {}
  ExpandingArrayWithOptionalElem(const std::vector<std::int64_t>& list)
      : ExpandingArrayWithOptionalElem(ExpandingArray<D>(list)) {}
  ExpandingArrayWithOptionalElem(IntArrayRef list)
      : ExpandingArrayWithOptionalElem(ExpandingArray<D>(list)) {}
  ExpandingArrayWithOptionalElem(const ExpandingArray<D>& list) {
    for (std::size_t i = 0; i < D; ++i) values_[i] = (*list)[i];
  }
  ExpandingArrayWithOptionalElem(std::initializer_list<std::optional<std::int64_t>> list) {
    TERN_CHECK(list.size() == D, ShapeError, "Expected ", D, " values, but instead got ",
               list.size());
    for (std::size_t i = 0; i < D; ++i) values_[i] = list.begin()[i];
  }
  /// Takes one integer for all.
  template <tern::detail::IntArgument Number>
  ExpandingArrayWithOptionalElem(const Number& all) {
    values_.fill(static_cast<std::int64_t>(all));
  }

  /// Returns the integers.
  std::array<std::optional<std::int64_t>, D>& operator*() { return values_; }
  const std::array<std::optional<std::int64_t>, D>& operator*() const { return values_; }
  /// Accesses the integers.
  std::array<std::optional<std::int64_t>, D>* operator->() { return &values_; }
  const std::array<std::optional<std::int64_t>, D>* operator->() const { return &values_; }

 private:
  std::array<std::optional<std::int64_t>, D> values_;
};

/// Prints the integers as a list, with None for std::nullopt.
template <std::size_t D>
std::ostream& operator<<(std::ostream& stream, const ExpandingArrayWithOptionalElem<D>& array) {
  for (std::size_t i = 0; i < D; ++i) {
    stream << (i == 0 ? "[" : ", ");
    if ((*array)[i]) {
      stream << std::to_string(*(*array)[i]);
    } else {
      stream << "None";
    }
  }
  return stream << ']';
}

}  // namespace tern
