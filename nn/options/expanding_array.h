#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <vector>

#include <tern/core/base/array_ref.h>
#include <tern/core/base/error.h>

namespace tern {

/// D integers as an option, such as one for each dimension of an image. One integer stands for D
/// equal ones.
///
/// Example:
///   nn::UnfoldOptions({2, 3}).stride(2);  // the stride is {2, 2}
template <std::size_t D>
class ExpandingArray {
 public:
  /// Takes a list of D integers. Throws ShapeError for another number of them.
  ExpandingArray(std::initializer_list<std::int64_t> list)
      : ExpandingArray(IntArrayRef(list.begin(), list.size())) {}
  ExpandingArray(const std::vector<std::int64_t>& list) : ExpandingArray(IntArrayRef(list)) {}
  ExpandingArray(IntArrayRef list) {
    TERN_CHECK(list.size() == D, ShapeError, "Expected ", D, " values, but instead got ",
               list.size());
    for (std::size_t i = 0; i < D; ++i) values_[i] = list[i];
  }
  ExpandingArray(const std::array<std::int64_t, D>& list) : values_(list) {}
  /// Takes one integer for all.
  template <tern::detail::IntArgument T>
  ExpandingArray(const T& all) {
    values_.fill(all);
  }

  /// Returns the integers.
  std::array<std::int64_t, D>& operator*() { return values_; }
  const std::array<std::int64_t, D>& operator*() const { return values_; }
  /// Accesses the integers.
  std::array<std::int64_t, D>* operator->() { return &values_; }
  const std::array<std::int64_t, D>* operator->() const { return &values_; }
  /// Returns the integers as an argument of an op.
  operator IntArrayRef() const { return {values_.data(), D}; }

 private:
  std::array<std::int64_t, D> values_;
};

/// Prints the integers as a list, or a single integer alone.
template <std::size_t D>
std::ostream& operator<<(std::ostream& stream, const ExpandingArray<D>& array) {
  if constexpr (D == 1) {
    return stream << array->front();
  } else {
    return stream << IntArrayRef(array);
  }
}

}  // namespace tern
