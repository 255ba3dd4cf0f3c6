#pragma once

#include <initializer_list>

#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/kernels/families/require.h>
#include <tern/core/tensor/detail/shape.h>
#include <tern/core/tensor/tensor.h>

// How every elementwise op runs: promotion, device check, broadcasting, one kernel call.

namespace tern::detail {

/// A tensor or a number as an operand.
class Operand {
 public:
  Operand(const Tensor& tensor) : tensor_(&tensor) {}
  Operand(const Scalar& scalar) : scalar_(scalar) {}

  bool is_tensor() const { return tensor_ != nullptr; }
  const Tensor& tensor() const { return *tensor_; }
  /// Undefined for a number.
  const Tensor& tensor_or_undefined() const { return is_tensor() ? *tensor_ : kUndefined; }
  const Scalar& scalar() const { return scalar_; }

 private:
  static inline const Tensor kUndefined;

  const Tensor* tensor_ = nullptr;
  Scalar scalar_;
};

/// Returns the common dtype of the operands. The category of tensors with dimensions decides, then
/// that of 0-d tensors, then that of numbers; a lower rank matters only if its category is higher.
ScalarType result_type(ArrayRef<Operand> operands);

/// Returns the common device of the operands. A 0-d CPU tensor may join any device. Throws
/// DeviceError with PyTorch's text.
Device common_device(std::initializer_list<Operand> operands);

/// Throws the same DeviceError for ops of matrices and indices, without the exception for 0-d
/// tensors. Undefined tensors are skipped. `method` and `names` are PyTorch's names of the kernel
/// and its arguments.
void check_same_device(const char* method, std::initializer_list<const Tensor*> tensors,
                       std::initializer_list<const char*> names);

/// Returns true for integers, false for bool.
inline bool is_integral(ScalarType dtype) {
  return dtype_info(dtype).category == DtypeCategory::kIntegral;
}

/// Throws PyTorch's NotImplementedError for a dtype that the kernel `name` lacks.
[[noreturn]] void throw_not_implemented(const char* name, ScalarType dtype,
                                        std::initializer_list<Operand> operands);

/// The parameters of an elementwise call, without its operands.
struct ElementwiseCall {
  const char* name;  // the op that the user called, for messages
  kernels::ElementwiseOp op;
  ScalarType dtype;       // the operands are cast to it
  bool compares = false;  // the result is bool
  Scalar scale = 1;

  ScalarType out_dtype() const { return compares ? kBool : dtype; }
};

/// Runs the kernel; the result has no history. Without `out`, returns a new tensor with the
/// dimension order of the first dense operand. Otherwise writes to `out`, casts the result to its
/// dtype, and requires it to have the broadcast sizes.
Tensor run_elementwise(const ElementwiseCall& call, std::initializer_list<Operand> operands,
                       const Tensor& out = Tensor());

/// Copies the elements of `source`, which broadcasts to the sizes of `out`; casts and crosses
/// devices. Does not record the copy or increase the version of `out`. With `non_blocking`, a copy
/// between pinned memory and a GPU is only queued.
void copy_elements(const Tensor& out, const Tensor& source, bool non_blocking = false);

/// Copies `source` to `fresh`, which takes the place of x, and records a rule called `node`.
Tensor copied_over(const char* node, const Tensor& x, const Tensor& fresh, const Tensor& source,
                   bool non_blocking = false);

/// Writes `source` to `self` and records a rule called `node`; for copy_() and fill_().
Tensor& copy_inplace(const char* node, Tensor& self, const Tensor& source, bool non_blocking);

/// Copies the elements of `source` to `out`, a tensor of its own with the same sizes on the same
/// device, in reverse order along the dimensions of the mask.
void copy_reversed(const Tensor& out, const Tensor& source, const DimMask& reversed);

/// Returns `scalar` as a kernel argument.
kernels::Immediate to_immediate(const Scalar& scalar);

/// Throws Error unless every element of `values` satisfies `op`. For a GPU, the next call that
/// waits throws instead.
void require_all(const char* name, kernels::RequireOp op, const Tensor& values);

/// Throws Error when `value` is finite and beyond the range of `dtype`. A floating number for an
/// integral dtype, or the reverse, is not checked.
void check_representable(const Scalar& value, ScalarType dtype);

/// Throws Error unless `dtype` can hold `value`, also for a floating number and an integral dtype:
/// a cast would wrap.
void check_fits(const Scalar& value, ScalarType dtype);

/// Returns the 0-d tensor `value` without history, in the dtype and on the device of `self`. Throws
/// Error unless the dtype can hold it; does not read a value on a GPU, which would wait.
Tensor as_element_of(const Tensor& self, const Tensor& value);

}  // namespace tern::detail
