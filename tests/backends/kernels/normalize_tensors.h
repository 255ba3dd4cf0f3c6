#pragma once

#include <vector>

#include "backends/kernel_test.h"

namespace tern::testing {

/// The operands of layer norm and batch norm, without the statistics.
template <class T>
struct NormalizeTensors {
  /// Makes `count` elements around `center`, and `features` weights around 1 and as many biases, or
  /// none.
  NormalizeTensors(unsigned seed, std::int64_t count, double center, std::int64_t features,
                   bool has_weight, bool has_bias) {
    Noise noise(seed);
    const auto fill = [&](std::vector<T>& values, std::int64_t n, double middle) {
      for (std::int64_t i = 0; i < n; ++i) {
        values.push_back(static_cast<T>(middle + noise.uniform(-2, 2)));
      }
    };
    fill(in, count, center);
    fill(grad, count, 0);
    if (has_weight) fill(weight, features, 1);
    if (has_bias) fill(bias, features, 0);
    out.resize(in.size());
    grad_in.resize(in.size());
    grad_weight.resize(static_cast<std::size_t>(features));
    grad_bias.resize(static_cast<std::size_t>(features));
  }

  /// Sets all results to NaN.
  void forget_results() {
    for (std::vector<T>* result : {&out, &grad_in, &grad_weight, &grad_bias}) {
      std::fill(result->begin(), result->end(), Limits<T>::quiet_NaN());
    }
  }

  /// Returns LayerNormArgs or BatchNormArgs with all pointers except those to the statistics.
  template <class Args, class Op>
  Args args_of(Op op) {
    const auto optional = [](std::vector<T>& v) { return v.empty() ? nullptr : v.data(); };
    Args args{};
    args.op = op;
    args.dtype = dtype_of<T>();
    args.eps = 1e-5;
    args.in = in.data();
    args.weight = optional(weight);
    args.bias = optional(bias);
    args.out = out.data();
    args.grad = grad.data();
    args.grad_in = grad_in.data();
    args.grad_weight = grad_weight.data();
    args.grad_bias = grad_bias.data();
    return args;
  }

  /// Runs backward with `args` only for the gradients in `wanted` (1 input, 2 weight, 4 bias).
  /// Expects the same gradients as in `whole`, and that nothing else is written.
  template <class Args, class Run>
  void expect_wanted(int wanted, const NormalizeTensors& whole, Args args, const Run& run) const {
    if ((wanted & 1) == 0) args.grad_in = nullptr;
    if ((wanted & 2) == 0) args.grad_weight = nullptr;
    if ((wanted & 4) == 0) args.grad_bias = nullptr;
    run(args);
    EXPECT_EQ(grad_in == whole.grad_in, (wanted & 1) != 0);
    EXPECT_EQ(grad_weight == whole.grad_weight, (wanted & 2) != 0);
    EXPECT_EQ(grad_bias == whole.grad_bias, (wanted & 4) != 0);
  }

  std::vector<T> in, grad, weight, bias, out, grad_in, grad_weight, grad_bias;
};

}  // namespace tern::testing
