#pragma once

#include <string>

#include <tern/core/base/small_vector.h>
#include <tern/core/tensor/tensor.h>
#include <tern/serialization/json/detail/text_file.h>

namespace tern::detail {

/// What a first look at a value of a tensor says, without checking it.
struct ValueOutline {
  DimVector sizes;   // of the first list of each level
  ScalarType dtype;  // I64 or BOOL when all elements look so, else F64; F32 without elements
};

/// Looks over the value at the place of `text` and goes behind it: nested lists, a number, a word
/// or a string without escapes. Throws FileError when it does not end or is nested deeper than a
/// tensor can be.
ValueOutline outline_value(TextFile& text, const std::string& name);

/// Reads the value at the place of `text` into `tensor`, which is contiguous and on the CPU, and
/// goes behind it. Throws FileError for anything but lists of its sizes and elements of its dtype.
void read_value(TextFile& text, const std::string& name, const Tensor& tensor);

/// The same for a float32 tensor and numbers that may be wider; false when one of them is.
bool read_narrow_value(TextFile& text, const std::string& name, const Tensor& tensor);

}  // namespace tern::detail
