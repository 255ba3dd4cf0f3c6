#include <tern/core/ops/common/result_type.h>
#include <tern/core/ops/elementwise/detail/elementwise.h>

namespace tern {

ScalarType detail::result_type(ArrayRef<Operand> operands) {
  const Operand* const first = operands.begin();
  bool agree = first->is_tensor();
  for (std::size_t k = 1; agree && k < operands.size(); ++k) {
    agree = first[k].is_tensor() && first[k].tensor().dtype() == first->tensor().dtype();
  }
  if (agree) return first->tensor().dtype();

  // Indexed by rank: tensors with dimensions, 0-d tensors, numbers.
  bool present[3] = {};
  ScalarType types[3] = {};
  for (const Operand& operand : operands) {
    const bool is_tensor = operand.is_tensor();
    const std::size_t rank = is_tensor ? (operand.tensor().dim() > 0 ? 0 : 1) : 2;
    const ScalarType dtype = is_tensor ? operand.tensor().dtype() : operand.scalar().dtype();
    types[rank] = present[rank] ? promote_types(types[rank], dtype) : dtype;
    present[rank] = true;
  }
  ScalarType result = kBool;
  bool any = false;
  for (std::size_t rank = 0; rank < 3; ++rank) {
    if (!present[rank]) continue;
    if (!any || dtype_info(types[rank]).category > dtype_info(result).category) {
      result = types[rank];
    }
    any = true;
  }
  return result;
}

ScalarType result_type(const Tensor& tensor, const Tensor& other) {
  return detail::result_type({tensor, other});
}
ScalarType result_type(const Tensor& tensor, const Scalar& other) {
  return detail::result_type({tensor, other});
}
ScalarType result_type(const Scalar& scalar, const Tensor& tensor) {
  return detail::result_type({scalar, tensor});
}
ScalarType result_type(const Scalar& scalar1, const Scalar& scalar2) {
  return detail::result_type({scalar1, scalar2});
}

}  // namespace tern
