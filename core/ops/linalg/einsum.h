#pragma once

#include <string_view>

#include <tern/core/tensor/tensor.h>

// Products in Einstein's notation.

namespace tern {

/// Returns the product of `operands` that `equation` describes. It has one letter per dimension of
/// each operand, operands separated by commas. Labels that the part behind "->" does not list are
/// summed. Without "->" the result has the labels that occur once, in alphabetic order. A label
/// that is repeated in one operand takes the diagonal. "..." stands for dimensions that broadcast.
///
/// `path` lists pairs of operands to multiply next: both leave the list of operands, and their
/// product joins its end. By default, the cheapest pair comes first.
///
/// Throws Error for an equation that is wrong or does not fit, ShapeError for sizes that do not.
///
/// Example:
///   tern::einsum("bij,bjk->bik", {a, b});  // bmm
///   tern::einsum("ii", {a});               // trace
TERN_API Tensor einsum(std::string_view equation, TensorList operands, IntArrayRef path = {});

}  // namespace tern
