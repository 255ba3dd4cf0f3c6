#include <cmath>
#include <cstdint>
#include <vector>

#include <tern/backends/sim/kernels/kernels.h>
#include <tern/backends/sim/kernels/number.h>

namespace tern::sim {
namespace {

template <class T>
void forward(const LayerNormArgs& args) {
  const T* weight = static_cast<const T*>(args.weight);
  const T* bias = static_cast<const T*>(args.bias);
  for (std::int64_t row = 0; row < args.rows; ++row) {
    const T* in = static_cast<const T*>(args.in) + row * args.size;
    T* out = static_cast<T*>(args.out) + row * args.size;
    const auto n = static_cast<double>(args.size);
    double mean = 0, variance = 0;
    if (args.root_mean_square == 0) {
      for (std::int64_t i = 0; i < args.size; ++i) mean += in[i] / n;
    }
    for (std::int64_t i = 0; i < args.size; ++i) variance += (in[i] - mean) * (in[i] - mean) / n;
    const double rstd = 1 / std::sqrt(variance + args.eps);
    for (std::int64_t i = 0; i < args.size; ++i) {
      const double scale = weight == nullptr ? 1 : double{weight[i]};
      const double offset = bias == nullptr ? 0 : double{bias[i]};
      out[i] = static_cast<T>((in[i] - mean) * rstd * scale + offset);
    }
    if (args.mean != nullptr) args.mean[row] = mean;
    if (args.rstd != nullptr) args.rstd[row] = rstd;
  }
}

template <class T>
void backward(const LayerNormArgs& args) {
  const T* weight = static_cast<const T*>(args.weight);
  const auto size = static_cast<std::size_t>(args.size);
  std::vector<double> grad_weight(size, 0.0), grad_bias(size, 0.0);
  for (std::int64_t row = 0; row < args.rows; ++row) {
    const T* in = static_cast<const T*>(args.in) + row * args.size;
    const T* grad = static_cast<const T*>(args.grad) + row * args.size;
    std::vector<double> x(size), h(size);
    double mean_h = 0, mean_hx = 0;
    for (std::size_t i = 0; i < size; ++i) {
      x[i] = (in[i] - args.mean[row]) * args.rstd[row];
      h[i] = weight == nullptr ? double{grad[i]} : double{grad[i]} * weight[i];
      if (args.root_mean_square == 0) mean_h += h[i] / static_cast<double>(size);
      mean_hx += h[i] * x[i] / static_cast<double>(size);
      grad_weight[i] += grad[i] * x[i];
      grad_bias[i] += grad[i];
    }
    if (args.grad_in == nullptr) continue;
    T* grad_in = static_cast<T*>(args.grad_in) + row * args.size;
    for (std::size_t i = 0; i < size; ++i) {
      grad_in[i] = static_cast<T>(args.rstd[row] * (h[i] - mean_h - x[i] * mean_hx));
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (args.grad_weight != nullptr) {
      static_cast<T*>(args.grad_weight)[i] = static_cast<T>(grad_weight[i]);
    }
    if (args.grad_bias != nullptr)
      static_cast<T*>(args.grad_bias)[i] = static_cast<T>(grad_bias[i]);
  }
}

template <class T>
void apply(const LayerNormArgs& args) {
  args.op == LayerNormOp::kForward ? forward<T>(args) : backward<T>(args);
}

bool supports(const LayerNormArgs& args) { return is_floating_point(args.dtype); }

void layer_norm(const LayerNormArgs& args, KernelContext&) {
  visit_floating_dtype(args.dtype, [&](auto tag) { apply<typename decltype(tag)::type>(args); });
}

}  // namespace

void register_layer_norm(OracleTable& table) { set<LayerNormArgs, supports, layer_norm>(table); }

}  // namespace tern::sim
