#include "cases.h"
#include "watch.h"

namespace tern::slots {

Tensor numbers(IntArrayRef sizes, ScalarType dtype, double low, double high) {
  const Pause pause;
  Tensor x = tern::rand(sizes, TensorOptions().dtype(kFloat));
  if (is_floating_point(dtype)) return (x * (high - low) + low).to(dtype);
  if (dtype == kBool) return x < 0.5;
  return (x * 100).floor().to(dtype);
}

Tensor indices(IntArrayRef sizes, std::int64_t limit) {
  const Pause pause;
  return tern::randint(limit, sizes, TensorOptions().dtype(kLong));
}

void run_backward(const Tensor& out) {
  const Tensor grad = numbers(out.sizes(), out.scalar_type());
  out.backward(grad);
}

}  // namespace tern::slots
