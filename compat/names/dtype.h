#pragma once

#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>

#include <tern/core/base/error.h>
#include <tern/core/tensor/device.h>
#include <tern/core/tensor/dtype.h>

namespace caffe2 {

/// A dtype as a class, as libtorch's Tensor::dtype() returns it. tern's returns a ScalarType, which
/// converts to this class and back.
class TypeMeta {
 public:
  /// Makes the meta of no type.
  TypeMeta() = default;
  /// Makes the meta of a dtype.
  TypeMeta(::tern::ScalarType dtype) : dtype_(dtype) {}
  /// Returns the meta of a C++ type.
  template <class T>
  static TypeMeta Make() {
    return {::tern::dtype_of<T>()};
  }
  /// Returns the meta of a dtype.
  static TypeMeta fromScalarType(::tern::ScalarType dtype) { return {dtype}; }
  /// Returns the name of a C++ type.
  template <class T>
  static std::string_view TypeName() {
    return Make<T>().name();
  }
  /// Returns the size of a C++ type.
  template <class T>
  static constexpr std::size_t ItemSize() {
    return sizeof(T);
  }

  /// Returns the size of an element in bytes.
  std::size_t itemsize() const { return dtype_ ? ::tern::element_size(*dtype_) : 0; }
  /// Returns the name of the C++ type: "float", "long int", "c10::Half".
  std::string_view name() const {
    if (!dtype_) return "nullptr (uninitialized)";
    switch (*dtype_) {
      case ::tern::kFloat:
        return "float";
      case ::tern::kDouble:
        return "double";
      case ::tern::kHalf:
        return "c10::Half";
      case ::tern::kBFloat16:
        return "c10::BFloat16";
      case ::tern::kLong:
        return "long int";
      case ::tern::kInt:
        return "int";
      case ::tern::kShort:
        return "short int";
      case ::tern::kChar:
        return "signed char";
      case ::tern::kByte:
        return "unsigned char";
      case ::tern::kBool:
        return "bool";
    }
    return "";
  }
  /// Returns true when this is the meta of the C++ type.
  template <class T>
  bool Match() const {
    return *this == Make<T>();
  }
  /// Returns true for a dtype, and for the given one.
  bool isScalarType() const { return dtype_.has_value(); }
  bool isScalarType(::tern::ScalarType dtype) const { return dtype_ == dtype; }
  /// Returns the dtype. Throws Error if there is none.
  ::tern::ScalarType toScalarType() const {
    TERN_CHECK(dtype_, ::tern::Error, "Unsupported TypeMeta in ATen: ", name());
    return *dtype_;
  }
  /// Converts to the dtype.
  operator ::tern::ScalarType() const { return toScalarType(); }

  /// Compares the types.
  friend bool operator==(const TypeMeta& a, const TypeMeta& b) { return a.dtype_ == b.dtype_; }
  friend bool operator==(const TypeMeta& a, ::tern::ScalarType b) { return a.dtype_ == b; }
  /// Writes the name.
  friend std::ostream& operator<<(std::ostream& out, const TypeMeta& type) {
    return out << type.name();
  }

 private:
  std::optional<::tern::ScalarType> dtype_;
};

}  // namespace caffe2

// In the namespace of ScalarType, where calls without a namespace find them.
namespace tern {

/// Returns the name of a dtype, such as Float.
inline const char* toString(ScalarType dtype) { return dtype_info(dtype).name; }
/// Returns the size of an element in bytes.
constexpr std::size_t elementSize(ScalarType dtype) { return element_size(dtype); }
/// Returns true for float16, bfloat16, float32 and float64.
constexpr bool isFloatingType(ScalarType dtype) { return is_floating_point(dtype); }
/// Returns true for float16 and bfloat16.
constexpr bool isReducedFloatingType(ScalarType dtype) {
  return dtype == kHalf || dtype == kBFloat16;
}
/// Returns true for integers, and for bool if `includeBool` is true.
constexpr bool isIntegralType(ScalarType dtype, bool includeBool) {
  return dtype == kBool ? includeBool : !is_floating_point(dtype);
}
/// Returns false: tern has no complex and no quantized dtypes.
constexpr bool isComplexType(ScalarType /*dtype*/) { return false; }
/// Returns false: tern has no quantized dtypes.
constexpr bool isQIntType(ScalarType /*dtype*/) { return false; }
/// Returns false for uint8 and bool.
constexpr bool isSignedType(ScalarType dtype) { return dtype != kByte && dtype != kBool; }
/// Returns can_cast().
constexpr bool canCast(ScalarType from, ScalarType to) { return can_cast(from, to); }
/// Returns promote_types().
constexpr ScalarType promoteTypes(ScalarType a, ScalarType b) { return promote_types(a, b); }
/// The dtype of a C++ type.
template <class T>
struct CppTypeToScalarType : std::integral_constant<ScalarType, dtype_of<T>()> {};
/// Returns the dtype as a TypeMeta.
inline caffe2::TypeMeta scalarTypeToTypeMeta(ScalarType dtype) { return {dtype}; }
/// Returns the dtype of a TypeMeta.
inline ScalarType typeMetaToScalarType(caffe2::TypeMeta type) { return type.toScalarType(); }
/// Returns the dtype of a TypeMeta, if there is one.
inline std::optional<ScalarType> optTypeMetaToScalarType(std::optional<caffe2::TypeMeta> type) {
  return type ? std::optional<ScalarType>(type->toScalarType()) : std::nullopt;
}
/// Returns the default dtype.
inline ScalarType get_default_dtype_as_scalartype() { return get_default_dtype(); }
/// Returns "CPU", "CUDA" or "META", or that in lower case.
inline std::string DeviceTypeName(DeviceType type, bool lower_case = false) {
  if (lower_case) return device_type_name(type);
  return type == kCPU ? "CPU" : type == kCUDA ? "CUDA" : "META";
}

}  // namespace tern

namespace c10 {

using ::caffe2::TypeMeta;
using ::tern::canCast;
using ::tern::CppTypeToScalarType;
using ::tern::DeviceTypeName;
using ::tern::elementSize;
using ::tern::get_default_dtype_as_scalartype;
using ::tern::isComplexType;
using ::tern::isFloatingType;
using ::tern::isIntegralType;
using ::tern::isQIntType;
using ::tern::isReducedFloatingType;
using ::tern::isSignedType;
using ::tern::optTypeMetaToScalarType;
using ::tern::promoteTypes;
using ::tern::scalarTypeToTypeMeta;
using ::tern::toString;
using ::tern::typeMetaToScalarType;

}  // namespace c10
