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
  ExpandingArray(const T& all) requires(!std::is_arithmetic_v<T>) { values_.fill(all); }
  template <class Number>
  requires(std::is_arithmetic_v<T> &&
           (std::is_integral_v<T> ? tern::detail::IntArgument<Number>
                                  : tern::detail::NumberArgument<Number>))
      ExpandingArray(const Number& all) {
    values_.fill(static_cast<T>(all));
  }

  /// Returns the numbers.
  std::array<T, D>& operator*() { return values_; }
  const std::array<T, D>& operator*() const { return values_; }
  /// Accesses the numbers.
  std::array<T, D>* operator->() { return &values_; }
  const std::array<T, D>* operator->() const { return &values_; }
  /// Returns D.
  std::size_t size() const noexcept { return D; }
  /// Returns the numbers as an argument of an op.
  operator ArrayRef<T>() const { return {values_.data(), D}; }

 protected:
  /// The numbers.
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
template <std::size_t D, class T = std::int64_t>
class TERN_API ExpandingArrayWithOptionalElem : public ExpandingArray<D, std::optional<T>> {
  using Base = ExpandingArray<D, std::optional<T>>;

 public:
  using Base::Base;
  /// Takes a list of D integers. Throws ShapeError for another count.
  ExpandingArrayWithOptionalElem(std::initializer_list<T> list)
      : ExpandingArrayWithOptionalElem(ExpandingArray<D, T>(list)) {}
  ExpandingArrayWithOptionalElem(const std::vector<T>& list)
      : ExpandingArrayWithOptionalElem(ExpandingArray<D, T>(list)) {}
  ExpandingArrayWithOptionalElem(ArrayRef<T> list)
      : ExpandingArrayWithOptionalElem(ExpandingArray<D, T>(list)) {}
  ExpandingArrayWithOptionalElem(const std::array<T, D>& list)
      : ExpandingArrayWithOptionalElem(ExpandingArray<D, T>(list)) {}
  ExpandingArrayWithOptionalElem(const ExpandingArray<D, T>& list) : Base(std::optional<T>()) {
    for (std::size_t i = 0; i < D; ++i) this->values_[i] = (*list)[i];
  }
  /// Takes one integer for all.
  template <tern::detail::IntArgument Number>
  ExpandingArrayWithOptionalElem(const Number& all) : Base(std::optional<T>(static_cast<T>(all))) {}
};

/// Prints the integers as a list, or a single one alone, with None for std::nullopt.
template <std::size_t D, class T>
std::ostream& operator<<(std::ostream& stream, const ExpandingArrayWithOptionalElem<D, T>& array) {
  for (std::size_t i = 0; i < D; ++i) {
    if (D > 1) stream << (i == 0 ? "[" : ", ");
    tern::detail::print_text(stream, (*array)[i] ? tern::detail::text_of(*(*array)[i]) : "None");
  }
  return D > 1 ? stream << ']' : stream;
}

}  // namespace tern
