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
#define TERN_BITWISE(name)                                                 \
  Tensor name(const Tensor& self, const Tensor& other) {                   \
    TERN_OP(#name, self, other);                                           \
    return bitwise_into(ElementwiseOp::name, {self, other}, {});           \
  }                                                                        \
  Tensor name(const Tensor& self, const Scalar& other) {                   \
    TERN_OP(#name, self);                                                  \
    return bitwise_into(ElementwiseOp::name, {self, other}, {});           \
  }                                                                        \
  Tensor name(const Scalar& self, const Tensor& other) {                   \
    TERN_OP(#name, self, other);                                           \
    return bitwise_into(ElementwiseOp::name, {self, other}, {});           \
  }                                                                        \
  Tensor& name##_(Tensor& self, const Tensor& other) {                     \
    TERN_OP(#name "_", self, other);                                       \
    const auto op = [&](const Tensor& x, const Tensor& out) {              \
      return bitwise_into(ElementwiseOp::name, {x, other}, out);           \
    };                                                                     \
    return detail::inplace(self, op, other);                               \
  }                                                                        \
  Tensor& name##_(Tensor& self, const Scalar& other) {                     \
    TERN_OP(#name "_", self);                                              \
    return detail::inplace(self, [&](const Tensor& x, const Tensor& out) { \
      return bitwise_into(ElementwiseOp::name, {x, other}, out);           \
    });                                                                    \
  }
TERN_BITWISE(bitwise_and)
TERN_BITWISE(bitwise_or)
TERN_BITWISE(bitwise_xor)
#undef TERN_BITWISE

Tensor bitwise_not(const Tensor& self) {
  TERN_OP("bitwise_not", self);
  return bitwise_into(ElementwiseOp::bitwise_not, {self}, {});
}

Tensor& bitwise_not_(Tensor& self) {
  TERN_OP("bitwise_not_", self);
  return detail::inplace(self, [](const Tensor& x, const Tensor& out) {
    return bitwise_into(ElementwiseOp::bitwise_not, {x}, out);
  });
}

}  // namespace tern
