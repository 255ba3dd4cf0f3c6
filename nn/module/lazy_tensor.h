#pragma once

#include <vector>

#include <tern/core/tensor/options.h>
#include <tern/core/tensor/tensor.h>

namespace tern::nn {

/// Returns true for a parameter or buffer of a lazy module, such as LazyLinear, that has no sizes
/// yet: the first call of the module gives it sizes and numbers.
TERN_API bool is_lazy(const Tensor& tensor);

namespace detail {

/// Makes an uninitialized tensor, with the device and dtype that it will have.
Tensor make_lazy(const TensorOptions& options);
/// Says that an uninitialized tensor got its sizes. Ignores other tensors.
void forget_lazy(const Tensor& tensor);
/// Gives an uninitialized tensor memory of these sizes, without numbers. Ignores other tensors.
void materialize(const Tensor& tensor, IntArrayRef sizes);
/// Throws Error ("Attempted to use an uninitialized parameter in zeros_. ...") if `tensor` is
/// uninitialized.
void check_not_lazy(const Tensor& tensor, const char* user);

}  // namespace detail
}  // namespace tern::nn
