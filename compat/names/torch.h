#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>

#include <tern/compat/names/at.h>
#include <tern/compat/names/context.h>
#include <tern/compat/print.h>

namespace torch {
using namespace at;

namespace autograd {
/// The former name of a tensor with autograd.
using Variable = Tensor;
/// A list of tensors, such as the gradients of a Function.
using tensor_list = variable_list;
}  // namespace autograd

/// Returns Tensor::is_floating_point().
inline bool is_floating_point(const Tensor& tensor) { return tensor.is_floating_point(); }
/// Returns the size of an element in bytes.
inline std::size_t elementSize(ScalarType dtype) { return element_size(dtype); }
/// Returns the name of a dtype, such as "Float".
inline const char* toString(ScalarType dtype) { return dtype_info(dtype).name; }
/// Returns its argument: tern's tensors have one class of dtypes.
inline ScalarType typeMetaToScalarType(ScalarType dtype) { return dtype; }
/// Changes nothing: one thread pool computes all ops.
inline void set_num_interop_threads(int /*threads*/) {}
/// Changes nothing: the thread pool starts at its first use.
inline void init_num_threads() {}

/// Writes a tensor in libtorch's form. Wide matrices are divided into blocks of `linesize` columns.
inline std::ostream& print(std::ostream& stream, const Tensor& tensor, std::int64_t linesize) {
  ::tern::compat::print(stream, tensor, linesize);
  return stream;
}
}  // namespace torch

namespace caffe2 {
/// The class of Tensor::dtype().
using TypeMeta = ::tern::ScalarType;
}  // namespace caffe2
