#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tern/core/base/bfloat16.h>
#include <tern/core/base/error.h>
#include <tern/core/base/half.h>
#include <tern/core/base/visibility.h>

namespace tern {

/// The type of a tensor's elements.
enum class ScalarType : std::uint8_t {
#define TERN_DTYPE(name, type, number, file_name, python_name, category) \
  /** python_name, elements of C++ type `type`. */                       \
  name = (number),
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
};
/// libtorch's other name of ScalarType.
using Dtype = ScalarType;

/// Short names of the dtypes, as in libtorch: `kFloat`, `kFloat32` and `kF32` are one dtype.
constexpr ScalarType kFloat = ScalarType::Float;
constexpr ScalarType kFloat32 = ScalarType::Float;
constexpr ScalarType kF32 = ScalarType::Float;
constexpr ScalarType kDouble = ScalarType::Double;
constexpr ScalarType kFloat64 = ScalarType::Double;
constexpr ScalarType kF64 = ScalarType::Double;
constexpr ScalarType kHalf = ScalarType::Half;
constexpr ScalarType kFloat16 = ScalarType::Half;
constexpr ScalarType kF16 = ScalarType::Half;
constexpr ScalarType kBFloat16 = ScalarType::BFloat16;
constexpr ScalarType kBF16 = ScalarType::BFloat16;
constexpr ScalarType kLong = ScalarType::Long;
constexpr ScalarType kInt64 = ScalarType::Long;
constexpr ScalarType kI64 = ScalarType::Long;
constexpr ScalarType kInt = ScalarType::Int;
constexpr ScalarType kInt32 = ScalarType::Int;
constexpr ScalarType kI32 = ScalarType::Int;
constexpr ScalarType kShort = ScalarType::Short;
constexpr ScalarType kInt16 = ScalarType::Short;
constexpr ScalarType kI16 = ScalarType::Short;
constexpr ScalarType kChar = ScalarType::Char;
constexpr ScalarType kInt8 = ScalarType::Char;
constexpr ScalarType kI8 = ScalarType::Char;
constexpr ScalarType kByte = ScalarType::Byte;
constexpr ScalarType kUInt8 = ScalarType::Byte;
constexpr ScalarType kU8 = ScalarType::Byte;
constexpr ScalarType kBool = ScalarType::Bool;

/// The kinds of dtypes in the order of promotion: bool, then integral, then floating.
enum class DtypeCategory : std::uint8_t { kBoolean, kIntegral, kFloating };

/// The properties of one dtype.
struct DtypeInfo {
  const char* name;         // Float
  const char* file_name;    // F32, as in safetensors
  const char* python_name;  // float32
  std::size_t size;         // bytes per element
  DtypeCategory category;   // bool, integral or floating
};

/// Returns the properties of `dtype`.
constexpr DtypeInfo dtype_info(ScalarType dtype) {
  switch (dtype) {
#define TERN_DTYPE(name, type, number, file_name, python_name, category) \
  case ScalarType::name:                                                 \
    return {#name, file_name, python_name, sizeof(type), DtypeCategory::category};
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
  }
  return {"Undefined", "?", "undefined", 0, DtypeCategory::kBoolean};
}

/// Returns the size of an element in bytes.
constexpr std::size_t element_size(ScalarType dtype) { return dtype_info(dtype).size; }
/// Returns true for float16, bfloat16, float32 and float64.
constexpr bool is_floating_point(ScalarType dtype) {
  return dtype_info(dtype).category == DtypeCategory::kFloating;
}

/// Carries a C++ type as a value, without making an object of the type.
template <class T>
struct TypeTag {
  /// The C++ type.
  using type = T;
};

/// Calls `visitor(TypeTag<T>())` with the C++ type of `dtype` and returns its result.
///
/// Example:
///   visit_dtype(x.dtype(), [&](auto tag) {
///     using T = typename decltype(tag)::type;
///     fill<T>(x.data_ptr());
///   });
template <class Visitor>
decltype(auto) visit_dtype(ScalarType dtype, Visitor&& visitor) {
  switch (dtype) {
#define TERN_DTYPE(name, type, number, file_name, python_name, category) \
  case ScalarType::name:                                                 \
    return std::forward<Visitor>(visitor)(TypeTag<type>());
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
  }
  __builtin_unreachable();
}

/// Returns the dtype whose elements have the C++ type T. Integer types match by size and sign, so
/// `long` and `long long` are both int64.
template <class T>
constexpr ScalarType dtype_of() {
  if constexpr (std::is_same_v<T, bool>) {
    return kBool;
  } else if constexpr (std::is_same_v<T, float>) {
    return kFloat;
  } else if constexpr (std::is_same_v<T, double>) {
    return kDouble;
  } else if constexpr (std::is_same_v<T, Half>) {
    return kHalf;
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return kBFloat16;
  } else {
    static_assert(std::is_integral_v<T> && (std::is_signed_v<T> || sizeof(T) == 1),
                  "no dtype has elements of this C++ type");
    if (sizeof(T) == 1) return std::is_signed_v<T> ? kChar : kByte;
    return sizeof(T) == 2 ? kShort : sizeof(T) == 4 ? kInt : kLong;
  }
}

/// Returns the common dtype of two operands of equal rank: the dtype of the higher category, and
/// within a category the wider one. float16 with bfloat16 gives float32, int8 with uint8 gives
/// int16.
constexpr ScalarType promote_types(ScalarType a, ScalarType b) {
  if (a == b) return a;
  const DtypeInfo ia = dtype_info(a), ib = dtype_info(b);
  if (ia.category != ib.category) return ia.category > ib.category ? a : b;
  if (ia.size != ib.size) return ia.size > ib.size ? a : b;
  return is_floating_point(a) ? kFloat : kShort;  // half and bfloat16; int8 and uint8
}

/// Returns true when a result of dtype `from` may be stored in place in a tensor of dtype `to`: the
/// category must not decrease (floating to integral, or integral to bool).
constexpr bool can_cast(ScalarType from, ScalarType to) {
  return dtype_info(from).category <= dtype_info(to).category;
}

/// The dtype of a tensor as Tensor::dtype() returns it: a ScalarType, to which it converts, that
/// also knows the name and the size of its C++ type. libtorch calls it caffe2::TypeMeta.
///
/// Example:
///   x.dtype() == tern::kLong;  // as with a ScalarType
///   std::cout << x.scalar_type();    // long int, as libtorch prints it; scalar_type() prints Long
class TERN_API TypeMeta {
 public:
  /// Makes the meta of no type, which converts to no dtype.
  constexpr TypeMeta() = default;
  /// Returns the meta of a dtype.
  static constexpr TypeMeta fromScalarType(ScalarType dtype) { return TypeMeta(dtype); }
  /// Returns the meta of the dtype whose elements have the C++ type T.
  template <class T>
  static constexpr TypeMeta Make() {
    return TypeMeta(dtype_of<T>());
  }
  /// Sets the dtype.
  constexpr TypeMeta& operator=(ScalarType dtype) { return *this = TypeMeta(dtype); }

  /// Returns the dtype. Throws Error when there is none.
  ScalarType toScalarType() const {
    if (!dtype_) [[unlikely]]
      no_dtype_error();
    return *dtype_;
  }
  /// Converts to the dtype. Throws Error when there is none.
  operator ScalarType() const { return toScalarType(); }
  /// Returns true for a dtype, and for the given one.
  constexpr bool isScalarType() const { return dtype_.has_value(); }
  constexpr bool isScalarType(ScalarType dtype) const { return dtype_ == dtype; }
  /// Returns true when this is the meta of the C++ type T.
  template <class T>
  constexpr bool Match() const {
    return isScalarType(dtype_of<T>());
  }
  /// Returns the size of an element in bytes; 0 when there is no dtype.
  constexpr std::size_t itemsize() const { return dtype_ ? element_size(*dtype_) : 0; }
  /// Returns the size of a C++ type in bytes.
  template <class T>
  static constexpr std::size_t ItemSize() {
    return sizeof(T);
  }
  /// Returns the name of the C++ type: "float", "long int", "c10::Half".
  std::string_view name() const;
  /// Returns the name of the C++ type T.
  template <class T>
  static std::string_view TypeName() {
    return Make<T>().name();
  }

  /// Returns true for the same dtype, and when both have none.
  friend constexpr bool operator==(TypeMeta, TypeMeta) = default;
  /// Returns true when `a` has the dtype `b`.
  friend constexpr bool operator==(TypeMeta a, ScalarType b) { return a.isScalarType(b); }

 private:
  explicit constexpr TypeMeta(ScalarType dtype) : dtype_(dtype) {}
  [[noreturn]] void no_dtype_error() const;

  std::optional<ScalarType> dtype_;
};

/// Returns the dtype of `tensor(1.5)` and `zeros({2})`: float32 unless changed.
TERN_API TypeMeta get_default_dtype();
/// Sets the default dtype; throws DTypeError unless it is floating point.
TERN_API void set_default_dtype(ScalarType dtype);

/// Prints the dtype as an enumerator of ScalarType: Float.
inline std::ostream& operator<<(std::ostream& out, ScalarType dtype) {
  return detail::print_text(out, dtype_info(dtype).name);
}
/// Prints the name of the dtype's C++ type: float.
TERN_API std::ostream& operator<<(std::ostream& out, TypeMeta dtype);

}  // namespace tern
