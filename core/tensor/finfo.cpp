#include <tern/core/tensor/finfo.h>

#include <climits>
#include <cmath>
#include <limits>

namespace tern {

FloatInfo finfo(ScalarType dtype) {
  TERN_CHECK(is_floating_point(dtype), DTypeError, "finfo: Expected a floating dtype, got ", dtype,
             dtype == kBool ? "" : ". Use iinfo for integers");
  return visit_dtype(dtype, [dtype](auto tag) {
    using T = typename decltype(tag)::type;
    using Limits = std::numeric_limits<T>;
    const double max = static_cast<double>(Limits::max());
    const double normal = static_cast<double>(Limits::min());
    return FloatInfo{.dtype = dtype,
                     .bits = CHAR_BIT * sizeof(T),
                     .eps = static_cast<double>(Limits::epsilon()),
                     .max = max,
                     .min = -max,
                     .smallest_normal = normal,
                     .tiny = normal,
                     .resolution = std::pow(10, -Limits::digits10)};
  });
}

IntInfo iinfo(ScalarType dtype) {
  TERN_CHECK(dtype_info(dtype).category == DtypeCategory::kIntegral, DTypeError,
             "iinfo: Expected an integral dtype, got ", dtype,
             dtype == kBool ? "" : ". Use finfo for floating dtypes");
  return visit_dtype(dtype, [dtype](auto tag) {
    using T = typename decltype(tag)::type;
    using Limits = std::numeric_limits<T>;
    return IntInfo{.dtype = dtype,
                   .bits = CHAR_BIT * sizeof(T),
                   .max = static_cast<std::int64_t>(Limits::max()),
                   .min = static_cast<std::int64_t>(Limits::min())};
  });
}

}  // namespace tern
