#pragma once

#include <iosfwd>
#include <string>

#include <tern/core/tensor/tensor.h>

namespace tern {

/// The format of printed tensors; the defaults are Python's.
struct PrintOptions {
  int precision = 4;     // digits after the point
  int threshold = 1000;  // more elements are summarised with ...
  int edgeitems = 3;     // shown at each end when summarised
  int linewidth = 80;    // columns
};
/// Sets how tensors are printed from now on.
TERN_API void set_printoptions(const PrintOptions& options);
/// Returns how tensors are printed.
TERN_API PrintOptions get_printoptions();

/// Returns the tensor as Python prints it: tensor([[1., 2.]], grad_fn=<MulBackward0>).
TERN_API std::string to_string(const Tensor& tensor);
/// Prints the tensor as to_string() does.
TERN_API std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

namespace detail {
/// The function that operator<< calls instead of to_string(), if not null; for other print formats.
using TensorPrinter = void (*)(std::ostream& out, const Tensor& tensor);
TERN_API TensorPrinter& tensor_printer();
}  // namespace detail

}  // namespace tern
