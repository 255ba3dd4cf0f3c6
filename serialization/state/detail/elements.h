#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tern/core/base/array_ref.h>
#include <tern/core/tensor/dtype.h>

namespace tern::detail {

/// The size of a tensor with a shape that a file claims.
struct Extent {
  /// The product of all sizes except zeros. No stride is larger.
  std::int64_t product = 1;
  /// True if a size is 0.
  bool is_empty = false;
};

/// Returns the extent of `shape` with its product multiplied by `unit`, or nullopt if the product
/// exceeds an int64.
std::optional<Extent> extent_of(IntArrayRef shape, std::int64_t unit = 1);

/// Returns the dtype with this name in JSON and safetensors files, such as "F32", or nullopt for
/// other names.
std::optional<ScalarType> dtype_of_file_name(std::string_view name);

/// Returns the names of all dtypes in files, for error texts: "I64, F32, ...".
std::string file_names_of_dtypes();

}  // namespace tern::detail
