#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include <tern/core/tensor/tensor.h>

namespace tern {

/// The format of printed tensors; the defaults are Python's.
struct PrintOptions {
  /// Digits after the point.
  int precision = 4;
  /// A tensor with more elements is summarised with ...
  std::int64_t threshold = 1000;
  /// Elements shown at each end of a summarised dimension.
  int edgeitems = 3;
  /// Columns of a line.
  int linewidth = 80;
  /// True: scientific notation; false: never; not set: if the numbers need it.
  std::optional<bool> sci_mode = {};
};
/// Sets how tensors are printed from now on. Throws Error for a negative number.
///
/// Example:
///   tern::set_printoptions({.precision = 2, .linewidth = 120});
TERN_API void set_printoptions(const PrintOptions& options);
/// Returns how tensors are printed.
TERN_API PrintOptions get_printoptions();
/// Returns the options that Python calls "default", "short" (2 digits, 2 elements at each end) or
/// "full" (nothing is summarised). Throws Error for another name.
TERN_API PrintOptions print_profile(const std::string& name);

/// Returns the tensor as Python prints it: tensor([[1., 2.]], grad_fn=<MulBackward0>).
TERN_API std::string to_string(const Tensor& tensor);
/// Prints the tensor as to_string() does.
TERN_API std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

namespace autograd {
class SavedValue;
/// Prints the value as libtorch's C++ prints an IValue: [1, 2], (1, 2.5, text), None.
TERN_API std::ostream& operator<<(std::ostream& out, const SavedValue& value);
}  // namespace autograd

namespace detail {
/// The function that operator<< calls instead of to_string(), if not null; for other print formats.
using TensorPrinter = void (*)(std::ostream& out, const Tensor& tensor);
TERN_API TensorPrinter& tensor_printer();
}  // namespace detail

}  // namespace tern
