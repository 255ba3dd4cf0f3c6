#include <tern/serialization/state/detail/elements.h>

#include <algorithm>

namespace tern::detail {

std::optional<Extent> extent_of(IntArrayRef shape, std::int64_t unit) {
  Extent extent;
  bool overflow = false;
  for (const std::int64_t size : shape) {
    extent.is_empty = extent.is_empty || size == 0;
    overflow |=
        __builtin_mul_overflow(extent.product, std::max<std::int64_t>(size, 1), &extent.product);
  }
  overflow |= __builtin_mul_overflow(extent.product, unit, &extent.product);
  return overflow ? std::nullopt : std::optional(extent);
}

std::optional<ScalarType> dtype_of_file_name(std::string_view name) {
#define TERN_DTYPE(type_name, type, number, file_name, python_name, category) \
  if (name == (file_name)) return ScalarType::type_name;
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
  return std::nullopt;
}

std::string file_names_of_dtypes() {
  std::string names;
#define TERN_DTYPE(type_name, type, number, file_name, python_name, category) \
  names += names.empty() ? (file_name) : ", " file_name;
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
  return names;
}

}  // namespace tern::detail
