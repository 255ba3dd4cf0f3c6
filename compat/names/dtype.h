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
using ::tern::TypeMeta;
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
constexpr TypeMeta scalarTypeToTypeMeta(ScalarType dtype) {
  return TypeMeta::fromScalarType(dtype);
}
/// Returns the dtype of a TypeMeta.
inline ScalarType typeMetaToScalarType(TypeMeta type) { return type.toScalarType(); }
/// Returns the dtype of a TypeMeta, if there is one.
inline std::optional<ScalarType> optTypeMetaToScalarType(std::optional<TypeMeta> type) {
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
using ::tern::TypeMeta;
using ::tern::typeMetaToScalarType;

}  // namespace c10
