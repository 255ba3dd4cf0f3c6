#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <tern/core/tensor/tensor.h>

namespace tern::autograd {

/// A value that the forward() of a Function keeps for its backward(): an integer, a number, a bool,
/// a text, a tensor, or several integers, numbers or tensors.
///
/// Example:
///   context->saved_data["dim"] = 1;
///   std::int64_t dim = context->saved_data["dim"].toInt();
class TERN_API SavedValue {
 public:
  /// Makes a value that holds nothing.
  SavedValue() = default;
  /// Keeps a bool.
  template <std::same_as<bool> T>
  SavedValue(T value) : value_(value) {}
  /// Keeps an integer.
  template <std::integral T>
  requires(!std::same_as<T, bool>) SavedValue(T value) : value_(static_cast<std::int64_t>(value)) {}
  /// Keeps a number.
  template <std::floating_point T>
  SavedValue(T value) : value_(static_cast<double>(value)) {}
  /// Keeps a text.
  SavedValue(std::string value) : value_(std::move(value)) {}
  SavedValue(const char* value) : value_(std::string(value)) {}
  /// Keeps a tensor as it is. save_for_backward() is better for inputs and outputs, because it
  /// notices in-place changes and cannot keep the graph alive for ever.
  SavedValue(Tensor value) : value_(std::move(value)) {}
  /// Keeps integers, such as sizes.
  SavedValue(std::vector<std::int64_t> value) : value_(std::move(value)) {}
  SavedValue(IntArrayRef value) : value_(std::vector<std::int64_t>(value.begin(), value.end())) {}
  /// Keeps numbers.
  SavedValue(std::vector<double> value) : value_(std::move(value)) {}
  /// Keeps tensors.
  SavedValue(std::vector<Tensor> value) : value_(std::move(value)) {}

  /// Returns the integer. This and the functions below throw Error for a value of another type.
  std::int64_t toInt() const { return get<std::int64_t>(); }
  /// Returns the number.
  double toDouble() const { return get<double>(); }
  /// Returns the bool.
  bool toBool() const { return get<bool>(); }
  /// Returns the text.
  const std::string& toStringRef() const { return get<std::string>(); }
  /// Returns the tensor.
  const Tensor& toTensor() const { return get<Tensor>(); }
  /// Returns the integers.
  const std::vector<std::int64_t>& toIntVector() const { return get<std::vector<std::int64_t>>(); }
  /// Returns the numbers.
  const std::vector<double>& toDoubleVector() const { return get<std::vector<double>>(); }
  /// Returns the tensors.
  const std::vector<Tensor>& toTensorVector() const { return get<std::vector<Tensor>>(); }

 private:
  using Value = std::variant<std::monostate, std::int64_t, double, bool, std::string, Tensor,
                             std::vector<std::int64_t>, std::vector<double>, std::vector<Tensor>>;
  template <class T>
  const T& get() const {
    const T* value = std::get_if<T>(&value_);
    if (value == nullptr) throw_other_type(Value(T()).index());
    return *value;
  }
  [[noreturn]] void throw_other_type(std::size_t wanted) const;

  Value value_;
};

}  // namespace tern::autograd
