#include <tern/core/autograd/saved_value.h>

#include <iterator>
#include <utility>
#include <variant>

#include <tern/core/autograd/detail/stream_use.h>

namespace tern::autograd {

// Not in the header: a variant of so many types would make every program that includes tern slower
// to compile.
struct SavedValue::Value {
  std::variant<std::monostate, std::int64_t, double, bool, std::string, Tensor,
               std::vector<std::int64_t>, std::vector<double>, std::vector<bool>,
               std::vector<Tensor>, IntrusivePtr<SavedTuple>>
      held;
};

std::shared_ptr<const SavedValue::Value> SavedValue::keep(bool value) {
  return std::make_shared<Value>(Value{value});
}
std::shared_ptr<const SavedValue::Value> SavedValue::keep(std::int64_t value) {
  return std::make_shared<Value>(Value{value});
}
std::shared_ptr<const SavedValue::Value> SavedValue::keep(double value) {
  return std::make_shared<Value>(Value{value});
}

SavedValue::SavedValue(std::string value)
    : value_(std::make_shared<Value>(Value{std::move(value)})) {}
SavedValue::SavedValue(Tensor value) : value_(std::make_shared<Value>(Value{std::move(value)})) {}
SavedValue::SavedValue(std::vector<std::int64_t> value)
    : value_(std::make_shared<Value>(Value{std::move(value)})) {}
SavedValue::SavedValue(IntArrayRef value)
    : SavedValue(std::vector<std::int64_t>(value.begin(), value.end())) {}
SavedValue::SavedValue(std::vector<double> value)
    : value_(std::make_shared<Value>(Value{std::move(value)})) {}
SavedValue::SavedValue(std::vector<bool> value)
    : value_(std::make_shared<Value>(Value{std::move(value)})) {}
SavedValue::SavedValue(std::vector<Tensor> value)
    : value_(std::make_shared<Value>(Value{std::move(value)})) {}
SavedValue::SavedValue(IntrusivePtr<SavedTuple> value)
    : value_(value ? std::make_shared<Value>(Value{std::move(value)}) : nullptr) {}

template <class T>
const T& SavedValue::get() const {
  constexpr const char* kNames[] = {"nothing", "an int",   "a double", "a bool",
                                    "a text",  "a tensor", "integers", "doubles",
                                    "bools",   "tensors",  "a tuple"};
  static_assert(std::size(kNames) == std::variant_size_v<decltype(Value::held)>);
  if (value_ != nullptr) {
    if (const T* value = std::get_if<T>(&value_->held)) return *value;
  }
  tern::detail::raise<Error>("saved_data: expected ", kNames[Value{T()}.held.index()],
                             " but the saved value is ",
                             kNames[value_ == nullptr ? 0 : value_->held.index()]);
}

template <class T>
bool SavedValue::holds() const {
  return value_ != nullptr && std::holds_alternative<T>(value_->held);
}

bool SavedValue::isNone() const { return value_ == nullptr; }
bool SavedValue::isInt() const { return holds<std::int64_t>(); }
bool SavedValue::isDouble() const { return holds<double>(); }
bool SavedValue::isBool() const { return holds<bool>(); }
bool SavedValue::isString() const { return holds<std::string>(); }
bool SavedValue::isTensor() const { return holds<Tensor>(); }
bool SavedValue::isIntList() const { return holds<std::vector<std::int64_t>>(); }
bool SavedValue::isDoubleList() const { return holds<std::vector<double>>(); }
bool SavedValue::isBoolList() const { return holds<std::vector<bool>>(); }
bool SavedValue::isTensorList() const { return holds<std::vector<Tensor>>(); }
bool SavedValue::isTuple() const { return holds<IntrusivePtr<SavedTuple>>(); }

const char* SavedValue::tagKind() const {
  constexpr const char* kNames[] = {"None",        "Int",         "Double",      "Bool",
                                    "String",      "Tensor",      "GenericList", "GenericList",
                                    "GenericList", "GenericList", "Tuple"};
  static_assert(std::size(kNames) == std::variant_size_v<decltype(Value::held)>);
  return kNames[value_ == nullptr ? 0 : value_->held.index()];
}

Scalar SavedValue::toScalar() const {
  if (isBool()) return toBool();
  return isInt() ? Scalar(toInt()) : Scalar(toDouble());
}

std::int64_t SavedValue::toInt() const { return get<std::int64_t>(); }
double SavedValue::toDouble() const { return get<double>(); }
bool SavedValue::toBool() const { return get<bool>(); }
const std::string& SavedValue::toStringRef() const { return get<std::string>(); }
const Tensor& SavedValue::toTensor() const {
  const Tensor& tensor = get<Tensor>();
  use_on_current_stream(tensor);
  return tensor;
}
const std::vector<std::int64_t>& SavedValue::toIntVector() const {
  return get<std::vector<std::int64_t>>();
}
const std::vector<double>& SavedValue::toDoubleVector() const { return get<std::vector<double>>(); }
const std::vector<bool>& SavedValue::toBoolVector() const { return get<std::vector<bool>>(); }
const std::vector<Tensor>& SavedValue::toTensorVector() const {
  const auto& tensors = get<std::vector<Tensor>>();
  for (const Tensor& tensor : tensors) use_on_current_stream(tensor);
  return tensors;
}
const IntrusivePtr<SavedTuple>& SavedValue::toTuple() const {
  return get<IntrusivePtr<SavedTuple>>();
}

}  // namespace tern::autograd
