#pragma once

#include <initializer_list>

#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/kernels/families/require.h>
#include <tern/core/tensor/tensor.h>

// How every elementwise op runs: promotion, device check, broadcasting, one kernel call.

namespace tern::detail {

/// A tensor or a bare number.
class Operand {
 public:
  Operand(const Tensor& tensor) : tensor_(&tensor) {}
  Operand(const Scalar& scalar) : scalar_(scalar) {}

  bool is_tensor() const { return tensor_ != nullptr; }
  const Tensor& tensor() const { return *tensor_; }
  const Scalar& scalar() const { return scalar_; }

 private:
  const Tensor* tensor_ = nullptr;
  Scalar scalar_;
};

/// The dtype that the operands meet in: the category of tensors with dimensions decides, then of
/// 0-d tensors, then of numbers; a lower rank matters only when its category is higher.
ScalarType result_type(std::initializer_list<Operand> operands);

/// The device where the operands meet. A 0-d CPU tensor joins any device. Throws DeviceError with
/// PyTorch's text.
Device common_device(std::initializer_list<Operand> operands);

/// The same for ops of matrices and indices: no exception for 0-d tensors. Undefined tensors do not
/// count. `method` and `names` are what PyTorch calls the kernel and its arguments.
void check_same_device(const char* method, std::initializer_list<const Tensor*> tensors,
                       std::initializer_list<const char*> names);

/// What an elementwise call needs besides its operands.
struct ElementwiseCall {
  const char* name;  // what the user called, for messages
  kernels::ElementwiseOp op;
  ScalarType dtype;       // the operands are cast to it
  bool compares = false;  // the result is bool
  Scalar scale = 1;

  ScalarType out_dtype() const { return compares ? kBool : dtype; }
};

/// Runs the kernel; the result has no history. Writes into `out` when it is defined (whose dtype
/// the result is cast to, and whose sizes must be the broadcast ones), else into a fresh tensor in
/// the dimension order of the first dense operand.
Tensor run_elementwise(const ElementwiseCall& call, std::initializer_list<Operand> operands,
                       const Tensor& out = Tensor());

/// Writes the elements of `source`, which broadcasts to the sizes of `out`, casts and crosses
/// devices. Neither recorded nor counted as a version of `out`. `non_blocking`: between pinned
/// memory and a GPU it only queues the copy.
void copy_elements(const Tensor& out, const Tensor& source, bool non_blocking = false);

kernels::Immediate to_immediate(const Scalar& scalar);

/// Throws Error unless every element of `values` keeps the rule of `op`. A GPU says so at the next
/// call that waits for it.
void require_all(const char* name, kernels::RequireOp op, const Tensor& values);

/// Throws Error when `value` is finite and beyond the range of `dtype`, a floating dtype.
void check_representable(const Scalar& value, ScalarType dtype);

}  // namespace tern::detail
