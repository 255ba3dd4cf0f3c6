#pragma once

#include <string>

#include <tern/core/base/small_vector.h>
#include <tern/core/tensor/tensor.h>
#include <tern/serialization/detail/text_file.h>

namespace tern::detail {

/// What a first look at a value of a tensor says, without checking it.
struct ValueOutline {
  const char* end;   // behind the value
  DimVector sizes;   // of the first list of each level
  ScalarType dtype;  // I64 or BOOL when all elements look so, else F64; F32 without elements
};

/// Looks over the value at `at`: nested lists, a number, a word or a string without escapes.
/// Throws FileError when it does not end or is nested deeper than a tensor can be.
ValueOutline outline_value(const TextFile& file, const char* at, const std::string& name);

/// Reads the value at `at` into `tensor`, which is contiguous and on the CPU, and returns its end.
/// Throws FileError for anything but lists of its sizes and elements of its dtype.
const char* read_value(const TextFile& file, const char* at, const std::string& name,
                       const Tensor& tensor);

/// The place behind JSON's white space.
inline const char* skip_space(const char* at) {
  while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t') ++at;
  return at;
}

}  // namespace tern::detail
