#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tern/core/base/array_ref.h>
#include <tern/core/tensor/dtype.h>

namespace tern::detail {

/// How much a shape in a file asks for.
struct Extent {
  /// The product of all sizes, those of 0 left out: the strides are not larger.
  std::int64_t product = 1;
  /// Whether a size is 0.
  bool is_empty = false;
};

/// Returns the extent of `shape`, its product multiplied by `unit`; nothing when the product
/// exceeds an int64.
std::optional<Extent> extent_of(IntArrayRef shape, std::int64_t unit = 1);

/// Returns the dtype of this name in JSON and safetensors files, such as "F32"; nothing for other
/// names.
std::optional<ScalarType> dtype_of_file_name(std::string_view name);

/// Returns all these names, for errors: "I64, F32, ...".
std::string file_names_of_dtypes();

}  // namespace tern::detail
