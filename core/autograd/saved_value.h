#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <tern/core/tensor/tensor.h>

namespace tern::autograd {

class SavedTuple;

/// A value that the forward() of a Function keeps for its backward(), or that an archive has: an
/// integer, a number, a bool, a text, a tensor, several integers, numbers, bools or tensors, or a
/// tuple of values. Archives take no tuples.
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
  SavedValue(T value) : value_(keep(value)) {}
  /// Keeps an integer.
  template <std::integral T>
  requires(!std::same_as<T, bool>) SavedValue(T value)
      : value_(keep(static_cast<std::int64_t>(value))) {}
  /// Keeps a number.
  template <std::floating_point T>
  SavedValue(T value) : value_(keep(static_cast<double>(value))) {}
  /// Keeps a text.
  SavedValue(std::string value);
  SavedValue(const char* value) : SavedValue(std::string(value)) {}
  /// Keeps a tensor as it is. save_for_backward() is better for inputs and outputs, because it
  /// notices in-place changes and cannot keep the graph alive for ever.
  SavedValue(Tensor value);
  /// Keeps integers, such as sizes.
  SavedValue(std::vector<std::int64_t> value);
  SavedValue(IntArrayRef value);
  /// Keeps numbers.
  SavedValue(std::vector<double> value);
  /// Keeps bools.
  SavedValue(std::vector<bool> value);
  /// Keeps tensors.
  SavedValue(std::vector<Tensor> value);
  /// Keeps a tuple of values.
  SavedValue(IntrusivePtr<SavedTuple> value);
  template <class... Elements>
  SavedValue(const std::tuple<Elements...>& value);
  /// Keeps what is in the optional, or nothing.
  template <class T>
  SavedValue(std::optional<T> value) {
    if (value) *this = SavedValue(std::move(*value));
  }
  SavedValue(std::nullopt_t) {}

  /// Returns true when the value is nothing.
  bool isNone() const;
  /// Returns true for an integer.
  bool isInt() const;
  /// Returns true for a number.
  bool isDouble() const;
  /// Returns true for a bool.
  bool isBool() const;
  /// Returns true for a text.
  bool isString() const;
  /// Returns true for a tensor.
  bool isTensor() const;
  /// Returns true for integers.
  bool isIntList() const;
  /// Returns true for numbers.
  bool isDoubleList() const;
  /// Returns true for bools.
  bool isBoolList() const;
  /// Returns true for tensors.
  bool isTensorList() const;
  /// Returns true for a tuple.
  bool isTuple() const;
  /// Returns true for a number or a bool.
  bool isScalar() const { return isInt() || isDouble() || isBool(); }

  /// Returns libtorch's name of the type: Int, Double, Bool, String, Tensor, GenericList, Tuple or
  /// None.
  const char* tagKind() const;

  /// Returns the integer. This and the functions below throw Error for a value of another type.
  std::int64_t toInt() const;
  /// Returns the number.
  double toDouble() const;
  /// Returns the bool.
  bool toBool() const;
  /// Returns the number or the bool.
  Scalar toScalar() const;
  /// Returns the text.
  const std::string& toStringRef() const;
  /// Returns the tensor.
  const Tensor& toTensor() const;
  /// Returns the integers.
  const std::vector<std::int64_t>& toIntVector() const;
  /// Returns the same as toIntVector().
  const std::vector<std::int64_t>& toIntList() const { return toIntVector(); }
  /// Returns the numbers.
  const std::vector<double>& toDoubleVector() const;
  /// Returns the same as toDoubleVector().
  const std::vector<double>& toDoubleList() const { return toDoubleVector(); }
  /// Returns the bools.
  const std::vector<bool>& toBoolVector() const;
  /// Returns the tensors.
  const std::vector<Tensor>& toTensorVector() const;
  /// Returns the same as toTensorVector().
  const std::vector<Tensor>& toTensorList() const { return toTensorVector(); }
  /// Returns the tuple.
  const IntrusivePtr<SavedTuple>& toTuple() const;
  /// Returns what toTuple() refers to.
  const SavedTuple& toTupleRef() const { return *toTuple(); }
  /// Returns the value as the C++ type T.
  template <class T>
  T to() const {
    if constexpr (std::is_same_v<T, bool>) {
      return toBool();
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(toInt());
    } else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(toDouble());
    } else if constexpr (std::is_same_v<T, std::string>) {
      return toStringRef();
    } else if constexpr (std::is_same_v<T, Tensor>) {
      return toTensor();
    } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
      return toIntVector();
    } else if constexpr (std::is_same_v<T, std::vector<double>>) {
      return toDoubleVector();
    } else {
      static_assert(std::is_same_v<T, std::vector<Tensor>>, "no saved value has this type");
      return toTensorVector();
    }
  }

 private:
  struct Value;
  static std::shared_ptr<const Value> keep(bool value);
  static std::shared_ptr<const Value> keep(std::int64_t value);
  static std::shared_ptr<const Value> keep(double value);
  template <class T>
  const T& get() const;
  template <class T>
  bool holds() const;

  std::shared_ptr<const Value> value_;  // never changes, so copies share it; empty for nothing
};

/// A tuple of values.
///
/// Example:
///   auto pair = SavedTuple::create(3, "three");
///   pair->elements()[1].toStringRef();
class SavedTuple : public RefCounted {
 public:
  /// Takes the values.
  explicit SavedTuple(std::vector<SavedValue> elements) : elements_(std::move(elements)) {}
  /// Makes a tuple of the arguments.
  template <class... Elements>
  static IntrusivePtr<SavedTuple> create(Elements&&... elements) {
    std::vector<SavedValue> values;
    (values.emplace_back(std::forward<Elements>(elements)), ...);
    return create(std::move(values));
  }
  static IntrusivePtr<SavedTuple> create(std::vector<SavedValue> elements) {
    return make_intrusive<SavedTuple>(std::move(elements));
  }
  /// Returns the values.
  const std::vector<SavedValue>& elements() const { return elements_; }
  /// Returns the number of values.
  std::size_t size() const { return elements_.size(); }

 private:
  std::vector<SavedValue> elements_;
};

template <class... Elements>
SavedValue::SavedValue(const std::tuple<Elements...>& value)
    : SavedValue(std::apply([](const auto&... all) { return SavedTuple::create(all...); }, value)) {
}

}  // namespace tern::autograd
