#include "differential/form.h"

namespace tern::testing::differential {
namespace {

/// Makes a tensor of the given elements in one of four layouts. Avoids ops that programs test, as
/// far as possible.
Tensor make(ScalarType dtype, const Sizes& sizes, const Values& values, const std::string& layout,
            bool requires_grad) {
  const NoGradGuard no_grad;
  std::vector<Scalar> numbers;
  for (const Json& value : values.list) numbers.push_back(read_number(value));
  Tensor dense =
      empty(sizes, TensorOptions(kCPU).dtype(is_floating_point(dtype) ? kDouble : kLong));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (is_floating_point(dtype)) {
      dense.data_ptr<double>()[i] = numbers[i].toDouble();
    } else {
      dense.data_ptr<std::int64_t>()[i] = numbers[i].toLong();
    }
  }
  Tensor made = dense.to(get_default_device(), dtype);
  if (layout == "transposed") {
    made = made.transpose(0, -1).contiguous().transpose(0, -1);
  } else if (layout == "gaps") {
    Sizes wide = sizes;
    wide.back() *= 2;
    made = zeros(wide, dtype).slice(-1, 0, std::nullopt, 2).copy_(made);
  } else if (layout == "expanded") {
    made = made.narrow(0, 0, std::min<std::int64_t>(1, made.size(0))).clone().expand(sizes);
  }
  if (layout != "contiguous") made = made.detach();
  return made.requires_grad_(requires_grad);
}

}  // namespace

std::vector<Form> creation_forms() {
  using D = ScalarType;
  return {
      SAME((D a, const Sizes& b, const Values& c, const std::string& d, bool e),
           make(a, b, c, d, e)),
      FORM("torch.zeros(a, dtype=b)", (const Sizes& a, D b), zeros(a, b)),
      FORM("torch.ones(a, dtype=b)", (const Sizes& a, D b), ones(a, b)),
      FORM("torch.full(a, b)", (const Sizes& a, S b), full(a, b)),
      FORM("torch.full(a, b, dtype=c)", (const Sizes& a, S b, D c), full(a, b, c)),
      FORM("torch.eye(a)", (Int a), eye(a)),
      FORM("torch.eye(a, b, dtype=c)", (Int a, Int b, D c), eye(a, b, c)),
      FORM("torch.arange(a)", (S a), arange(a)),
      FORM("torch.arange(a, b, c)", (S a, S b, S c), arange(a, b, c)),
      FORM("torch.arange(a, b, c, dtype=d)", (S a, S b, S c, D d), arange(a, b, c, d)),
      FORM("torch.linspace(a, b, c)", (S a, S b, Int c), linspace(a, b, c)),
      FORM("torch.linspace(a, b, c, dtype=d)", (S a, S b, Int c, D d), linspace(a, b, c, d)),
      FORM("torch.scalar_tensor(a)", (S a), scalar_tensor(a)),
      FORM("torch.scalar_tensor(a, dtype=b)", (S a, D b), scalar_tensor(a, b)),
      FORM("torch.zeros_like(a)", (T a), zeros_like(a)),
      FORM("torch.ones_like(a)", (T a), ones_like(a)),
      FORM("torch.full_like(a, b)", (T a, S b), full_like(a, b)),
      FORM("torch.zeros_like(a, dtype=b)", (T a, D b), zeros_like(a, b)),
      FORM("torch.full_like(a, b, dtype=c)", (T a, S b, D c), full_like(a, b, c)),
      SAME((T a, const Sizes& b), a.new_zeros(b)),
      SAME((T a, const Sizes& b), a.new_ones(b)),
      SAME((T a, const Sizes& b, S c), a.new_full(b, c)),
      FORM("a.new_full(b, c, dtype=d)", (T a, const Sizes& b, S c, D d), a.new_full(b, c, d)),
  };
}

}  // namespace tern::testing::differential
