// Compiled for size.

#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/ops/common/detail/inplace.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>
#include <tern/core/ops/ops.h>

// Ops of integers. For bools, the bitwise ops are the logical ones.

namespace tern {
namespace {

using detail::Old;
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
  if (is_floating_point(dtype)) detail::throw_not_implemented(name, dtype, operands);
  const bool is_logical = dtype == kBool;
  return run_elementwise({name, is_logical ? logical_op(op) : op, dtype, /*compares=*/is_logical},
                         operands, out);
}

Tensor integers_into(const char* name, ElementwiseOp op, std::initializer_list<Operand> operands,
                     const Tensor& out) {
  const ScalarType dtype = detail::result_type(operands);
  if (!detail::is_integral(dtype)) detail::throw_not_implemented(name, dtype, operands);
  return run_elementwise({name, op, dtype}, operands, out);
}

// PyTorch's names of the kernels are in its error texts.
Tensor bitwise_left_shift_into(const Operand& self, const Operand& other, const Tensor& out) {
  return integers_into("lshift", ElementwiseOp::bitwise_left_shift, {self, other}, out);
}
Tensor bitwise_right_shift_into(const Operand& self, const Operand& other, const Tensor& out) {
  return integers_into("rshift", ElementwiseOp::bitwise_right_shift, {self, other}, out);
}
Tensor bitwise_not_into(const Tensor& self, const Tensor& out) {
  return bitwise_into(ElementwiseOp::bitwise_not, {self}, out);
}
Tensor gcd_into(const Tensor& self, const Tensor& other, const Tensor& out) {
  return integers_into("gcd", ElementwiseOp::gcd, {self, other}, out);
}
Tensor lcm_into(const Tensor& self, const Tensor& other, const Tensor& out) {
  return integers_into("lcm", ElementwiseOp::lcm, {self, other}, out);
}
#define TERN_BITWISE_INTO(name)                                                      \
  Tensor name##_into(const Operand& self, const Operand& other, const Tensor& out) { \
    return bitwise_into(ElementwiseOp::name, {self, other}, out);                    \
  }
TERN_BITWISE_INTO(bitwise_and)
TERN_BITWISE_INTO(bitwise_or)
TERN_BITWISE_INTO(bitwise_xor)
#undef TERN_BITWISE_INTO

}  // namespace

// Integers have no gradient, so nothing is recorded.
#define TERN_BITWISE(name)                               \
  Tensor name(const Tensor& self, const Tensor& other) { \
    TERN_OP(#name, self, other);                         \
    return name##_into(self, other, {});                 \
  }                                                      \
  Tensor name(const Tensor& self, const Scalar& other) { \
    TERN_OP(#name, self);                                \
    return name##_into(self, other, {});                 \
  }                                                      \
  Tensor name(const Scalar& self, const Tensor& other) { \
    TERN_OP(#name, self, other);                         \
    return name##_into(self, other, {});                 \
  }                                                      \
  Tensor& name##_(Tensor& self, const Tensor& other) {   \
    TERN_OP(#name "_", self, other);                     \
    return TERN_INPLACE(name, Old::kSaved, self, other); \
  }                                                      \
  Tensor& name##_(Tensor& self, const Scalar& other) {   \
    TERN_OP(#name "_", self);                            \
    return TERN_INPLACE(name, Old::kSaved, self, other); \
  }
TERN_BITWISE(bitwise_and)
TERN_BITWISE(bitwise_or)
TERN_BITWISE(bitwise_xor)
TERN_BITWISE(bitwise_left_shift)
TERN_BITWISE(bitwise_right_shift)
#undef TERN_BITWISE

Tensor gcd(const Tensor& self, const Tensor& other) {
  TERN_OP("gcd", self, other);
  return gcd_into(self, other, {});
}
Tensor lcm(const Tensor& self, const Tensor& other) {
  TERN_OP("lcm", self, other);
  return lcm_into(self, other, {});
}
Tensor& gcd_(Tensor& self, const Tensor& other) {
  TERN_OP("gcd_", self, other);
  return TERN_INPLACE(gcd, Old::kSaved, self, other);
}
Tensor& lcm_(Tensor& self, const Tensor& other) {
  TERN_OP("lcm_", self, other);
  return TERN_INPLACE(lcm, Old::kSaved, self, other);
}

Tensor bitwise_not(const Tensor& self) {
  TERN_OP("bitwise_not", self);
  return bitwise_not_into(self, {});
}

Tensor& bitwise_not_(Tensor& self) {
  TERN_OP("bitwise_not_", self);
  return TERN_INPLACE(bitwise_not, Old::kSaved, self);
}

}  // namespace tern
