#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/ops/detail/elementwise.h>
#include <tern/core/ops/detail/inplace.h>
#include <tern/core/ops/detail/op.h>
#include <tern/core/ops/ops.h>

// Bitwise ops of integers; for bools they are the logical ops.

namespace tern {
namespace {

using detail::Operand;
using detail::run_elementwise;
using kernels::ElementwiseOp;

/// Returns the op that has the same effect on bools.
constexpr ElementwiseOp logical_op(ElementwiseOp op) {
  switch (op) {
    case ElementwiseOp::bitwise_and:
      return ElementwiseOp::logical_and;
    case ElementwiseOp::bitwise_or:
      return ElementwiseOp::logical_or;
    case ElementwiseOp::bitwise_xor:
      return ElementwiseOp::logical_xor;
    default:
      return ElementwiseOp::logical_not;
  }
}

Tensor bitwise_into(ElementwiseOp op, std::initializer_list<Operand> operands, const Tensor& out) {
  const char* const name = kernels::elementwise_info(op).name;
  const ScalarType dtype = detail::result_type(operands);
  TERN_CHECK(!is_floating_point(dtype), NotImplementedError, '"', name, '_',
             detail::common_device(operands).type(), "\" not implemented for '", dtype, '\'');
  const bool is_logical = dtype == kBool;
  return run_elementwise({name, is_logical ? logical_op(op) : op, dtype, /*compares=*/is_logical},
                         operands, out);
}

}  // namespace

// Integers have no gradient, so nothing is recorded.
#define TERN_BITWISE(name, symbol)                                                    \
  Tensor name(const Tensor& self, const Tensor& other) {                              \
    TERN_OP(#name, self, other);                                                      \
    return bitwise_into(ElementwiseOp::name, {self, other}, {});                      \
  }                                                                                   \
  Tensor name(const Tensor& self, const Scalar& other) {                              \
    TERN_OP(#name, self);                                                             \
    return bitwise_into(ElementwiseOp::name, {self, other}, {});                      \
  }                                                                                   \
  Tensor name(const Scalar& self, const Tensor& other) {                              \
    TERN_OP(#name, self, other);                                                      \
    return bitwise_into(ElementwiseOp::name, {self, other}, {});                      \
  }                                                                                   \
  Tensor Tensor::name(const Tensor& other) const { return tern::name(*this, other); } \
  Tensor Tensor::name(const Scalar& other) const { return tern::name(*this, other); } \
  Tensor& Tensor::name##_(const Tensor& other) {                                      \
    TERN_OP(#name "_", *this, other);                                                 \
    const auto op = [&](const Tensor& x, const Tensor& out) {                         \
      return bitwise_into(ElementwiseOp::name, {x, other}, out);                      \
    };                                                                                \
    return detail::inplace(*this, op, other);                                         \
  }                                                                                   \
  Tensor& Tensor::name##_(const Scalar& other) {                                      \
    TERN_OP(#name "_", *this);                                                        \
    return detail::inplace(*this, [&](const Tensor& x, const Tensor& out) {           \
      return bitwise_into(ElementwiseOp::name, {x, other}, out);                      \
    });                                                                               \
  }                                                                                   \
  Tensor& Tensor::operator symbol(const Tensor& other) { return name##_(other); }     \
  Tensor& Tensor::operator symbol(const Scalar& other) { return name##_(other); }
TERN_BITWISE(bitwise_and, &=)
TERN_BITWISE(bitwise_or, |=)
TERN_BITWISE(bitwise_xor, ^=)
#undef TERN_BITWISE

Tensor bitwise_not(const Tensor& self) {
  TERN_OP("bitwise_not", self);
  return bitwise_into(ElementwiseOp::bitwise_not, {self}, {});
}

Tensor Tensor::bitwise_not() const { return tern::bitwise_not(*this); }
Tensor Tensor::operator~() const { return tern::bitwise_not(*this); }
Tensor& Tensor::bitwise_not_() {
  TERN_OP("bitwise_not_", *this);
  return detail::inplace(*this, [](const Tensor& x, const Tensor& out) {
    return bitwise_into(ElementwiseOp::bitwise_not, {x}, out);
  });
}

}  // namespace tern
