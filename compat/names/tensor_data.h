#pragma once

#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <type_traits>
#include <vector>

#include <tern/compat/names/at.h>
#include <tern/core/ops/create/creation.h>

namespace torch {

namespace detail {
/// The numbers of nested braces, or of an array.
class TensorDataContainer : public ::tern::detail::TensorData {
 public:
  using TensorData::TensorData;
  TensorDataContainer() : TensorData(std::initializer_list<TensorData>()) {}
  /// Takes the numbers of an array.
  template <class T>
  requires std::is_arithmetic_v<T> TensorDataContainer(::tern::ArrayRef<T> values)
      : TensorData(values), is_tensor_(true) {}
  template <class T>
  TensorDataContainer(const std::vector<T>& values)
      : TensorDataContainer(::tern::ArrayRef<T>(values)) {}

  /// Returns true for an array.
  bool is_tensor() const { return is_tensor_; }
  /// Returns true for braces.
  bool is_init_list() const { return !is_scalar() && !is_tensor_; }
  /// Returns the number, the rows or the array. Throws Error for another kind.
  const ::tern::Scalar& scalar() const {
    check(is_scalar(), "scalar");
    return TensorData::scalar();
  }
  const std::vector<TensorData>& init_list() const {
    check(is_init_list(), "init_list");
    return rows();
  }
  ::tern::Tensor tensor() const {
    check(is_tensor_, "tensor");
    return make({});
  }
  /// Returns the sizes of the tensor.
  std::vector<std::int64_t> sizes() const {
    return {TensorData::sizes().begin(), TensorData::sizes().end()};
  }
  /// Returns the numbers as a tensor.
  ::tern::Tensor convert_to_tensor(const ::tern::TensorOptions& options) const {
    return make(options);
  }
  /// Writes the numbers in braces.
  friend std::ostream& operator<<(std::ostream& out, const TensorDataContainer& data) {
    return out << data.text();
  }

 private:
  static void check(bool is_kind, const char* kind) {
    TERN_CHECK(is_kind, ::tern::Error, "Can only call `", kind,
               "()` on a TensorDataContainer that has `is_", kind, "() == true`");
  }

  bool is_tensor_ = false;
};
}  // namespace detail

}  // namespace torch
