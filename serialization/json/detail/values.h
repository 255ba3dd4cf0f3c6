#pragma once

#include <string>

#include <tern/core/base/small_vector.h>
#include <tern/core/tensor/tensor.h>
#include <tern/serialization/json/detail/text_file.h>

namespace tern::detail {

/// The sizes and the dtype that a value of a tensor seems to have, before its elements are checked.
struct ValueOutline {
  DimVector sizes;   // the size of the first list of each level
  ScalarType dtype;  // I64 or BOOL if all elements look like it, else F64; F32 without elements
};

/// Outlines the value at the position of `text` and moves past the value. A value is nested lists,
/// a number, a word or a string without escapes. Throws FileError if the value has no end or is
/// nested deeper than a tensor can be.
ValueOutline outline_value(TextFile& text, const std::string& name);

/// Reads the value at the position of `text` into `tensor` and moves past the value. The tensor
/// must be contiguous and on the CPU. Throws FileError if the value does not have the sizes and the
/// dtype of the tensor.
void read_value(TextFile& text, const std::string& name, const Tensor& tensor);

/// Reads like read_value() into a float32 tensor. Returns false if float32 cannot store one of the
/// numbers exactly; the elements of the tensor are then unspecified.
bool read_narrow_value(TextFile& text, const std::string& name, const Tensor& tensor);

}  // namespace tern::detail
