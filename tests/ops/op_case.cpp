#include "ops/op_case.h"

#include <cmath>
#include <sstream>

#include <tern/core/kernels/backend.h>

namespace tern::testing {

std::vector<OpCase> cases_where(const std::function<bool(const OpCase&)>& holds) {
  std::vector<OpCase> chosen;
  for (const OpCase& op : all_cases()) {
    if (holds(op)) chosen.push_back(op);
  }
  return chosen;
}

bool has_kernel(const OpCase& op) {
  return !op.kernel || kernels::backend_of(kCUDA).kernels()[*op.kernel] != nullptr;
}

std::string lacks_kernel(const OpCase& op) {
  return std::string("needs a ") + kernels::slot_name(*op.kernel) +
         " kernel; the backend of cuda has none";
}

Tensor laid_out(const Tensor& dense, Layout layout) {
  if (dense.dim() == 0) return dense;
  if (layout == Layout::kTransposed && dense.dim() > 1) {
    return dense.transpose(0, -1).contiguous().transpose(0, -1);
  }
  if (layout == Layout::kGaps) {
    std::vector<std::int64_t> sizes = dense.sizes().vec();
    sizes.back() *= 2;
    Tensor gaps = dense.new_full(sizes, dense.dtype() == kBool ? Scalar(false) : Scalar(1))
                      .slice(-1, 0, std::nullopt, 2);
    return gaps.copy_(dense);
  }
  return dense;
}

std::vector<Tensor> make_inputs(const Sample& sample, ScalarType dtype, Layout layout,
                                std::uint64_t seed) {
  Generator generator;
  generator.manual_seed(seed);
  std::vector<Tensor> inputs;
  for (const Input& input : sample) {
    Tensor dense;
    if (!input.integers.empty()) {
      dense = tensor(input.integers).reshape(input.sizes).to(input.dtype);
    } else {
      dense = empty(input.sizes, kDouble).uniform_(input.low, input.high, generator);
      dense = dense.to(input.is_floating() ? dtype : input.dtype);
    }
    inputs.push_back(laid_out(dense, layout));
  }
  return inputs;
}

std::vector<Tensor> require_grad(const std::vector<Tensor>& inputs, const Sample& sample) {
  std::vector<Tensor> leaves;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    leaves.push_back(inputs[i].detach());
    if (sample[i].is_differentiable()) leaves.back().requires_grad_();
  }
  return leaves;
}

std::vector<Tensor> to_device(const std::vector<Tensor>& inputs, Device device) {
  std::vector<Tensor> moved;
  for (const Tensor& input : inputs) moved.push_back(input.to(device));
  return moved;
}

std::string describe(const Sample& sample, Layout layout) {
  std::ostringstream out;
  for (const Input& input : sample) out << IntArrayRef(input.sizes) << input.dtype << ' ';
  out << (layout == Layout::kContiguous   ? "contiguous"
          : layout == Layout::kTransposed ? "transposed"
                                          : "with gaps");
  return out.str();
}

std::string difference(const Tensor& actual, const Tensor& expected, double tolerance) {
  std::ostringstream out;
  if (actual.sizes() != expected.sizes()) {
    out << "sizes " << actual.sizes() << " instead of " << expected.sizes();
    return out.str();
  }
  const std::vector<double> a = actual.detach().to(kCPU, kDouble).to_vector<double>();
  const std::vector<double> b = expected.detach().to(kCPU, kDouble).to_vector<double>();
  for (std::size_t i = 0; i < a.size(); ++i) {
    // Without the test for finite numbers, every number would be close to infinity.
    const bool same =
        a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])) ||
        (std::isfinite(b[i]) && std::abs(a[i] - b[i]) <= tolerance * (1 + std::abs(b[i])));
    if (!same) {
      out << "element " << i << " is " << a[i] << " instead of " << b[i];
      return out.str();
    }
  }
  return {};
}

}  // namespace tern::testing
