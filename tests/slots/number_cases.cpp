#include "cases.h"
#include "nn/optim/every_optimizer.h"

// Sums, products, layers, random numbers and optimizers.

namespace tern::slots {
namespace {

using kernels::Slot;

Tensor leaf(IntArrayRef sizes, ScalarType dtype, double low = 0.5, double high = 1.5) {
  return numbers(sizes, dtype, low, high).requires_grad_();
}

void reductions(const Sizes& n) {
  for (const ScalarType dtype : kAllDtypes) {
    const Tensor row = numbers({n.row}, dtype), matrix = numbers({n.side, n.side + 1}, dtype);
    const Tensor cube = numbers({7, n.side, 33}, dtype);
    for (const Tensor& x : {row, matrix.t(), matrix.slice(1, 1), cube.permute({2, 0, 1})}) {
      x.sum();
      x.any();
      x.all();
      x.count_nonzero();
      if (dtype != kBool) {
        x.argmax();
        x.argmin();
        x.max();
      }
      for (std::int64_t d = 0; d < x.dim(); ++d) {
        x.sum(d);
        x.any(d);
        x.all(d);
        if (dtype == kBool) continue;
        x.argmax(d);
        x.min(d);
        x.amax(d);
        if (!is_floating_point(dtype)) continue;
        x.mean(d);
        x.var(d);
        x.norm(2, d);
        x.nansum(d);
        x.logsumexp(d);
      }
    }
    if (dtype != kBool) numbers({n.side, 5}, dtype, 0.9, 1.1).prod(1);
    cube.sum({0, 2});
    cube.transpose(0, 1).sum({0, 2});
  }
}

void scans(const Sizes& n) {
  for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16, kLong, kInt}) {
    const Tensor row = numbers({n.row}, dtype, -1, 1.2), x = numbers({3, n.side, 17}, dtype);
    row.cummax(0);
    x.cummin(1);
    if (dtype == kHalf || dtype == kBFloat16) {
      numbers({n.side}, dtype, 0, 0.1).cumsum(0);
    } else {
      row.cumsum(0);
      x.cumsum(1);
      x.cumsum(2);
    }
    if (!is_floating_point(dtype)) continue;
    numbers({3, n.side, 17}, dtype, 0.99, 1.01).cumprod(1);
    row.logcumsumexp(0);
  }
}

void softmaxes(const Sizes& n) {
  for (const ScalarType dtype : kFloatingDtypes) {
    for (const std::int64_t d : {0, 1, 2}) {
      const Tensor x = leaf({5, n.side, 33}, dtype, -4, 4);
      run_backward(x.softmax(d));
      run_backward(x.log_softmax(d));
    }
    leaf({n.row}, dtype, -4, 4).softmax(0);
  }
}

void layer_norms(const Sizes& n) {
  for (const ScalarType dtype : kFloatingDtypes) {
    for (const std::int64_t size : {std::int64_t{33}, n.side}) {
      const Tensor x = leaf({n.side, size}, dtype), w = leaf({size}, dtype),
                   b = leaf({size}, dtype);
      run_backward(tern::layer_norm(x, {size}, w, b));
      run_backward(tern::layer_norm(x, {size}));
    }
    tern::layer_norm(numbers({n.row}, dtype), {n.row});
  }
}

void attentions(const Sizes& n) {
  const std::int64_t shared = n.side < 100 ? 1 : 2;  // for the emulator, which is slow
  const std::int64_t heads = 2 * shared;
  for (const ScalarType dtype : kFloatingDtypes) {
    const Tensor q = leaf({2, heads, n.side, 33}, dtype);
    const Tensor k = leaf({2, shared, n.side + 7, 33}, dtype);
    const Tensor v = leaf({2, shared, n.side + 7, 40}, dtype);
    for (const bool is_causal : {true, false}) {
      run_backward(tern::scaled_dot_product_attention(q, k, v, {}, 0, is_causal, {}, true));
    }
    const Tensor mask = numbers({n.side, n.side + 7}, kFloat, 0, 1);
    for (const Tensor& terms : {mask, mask.gt(0.3)}) {
      run_backward(tern::scaled_dot_product_attention(q, k, v, terms, 0, false, 0.1, true));
    }
  }
  backends::cudnn.benchmark = true;  // cuDNN computes these where it can
  for (const ScalarType dtype : {kHalf, kBFloat16}) {
    for (const bool is_causal : {true, false}) {
      const Tensor q = leaf({2, heads, n.side, 16}, dtype);
      const Tensor k = leaf({2, shared, n.side + 7, 16}, dtype);
      run_backward(tern::scaled_dot_product_attention(q, k, k, {}, 0, is_causal, {}, true));
    }
  }
  backends::cudnn.benchmark = false;
}

void batch_norms(const Sizes& n) {
  for (const ScalarType dtype : kFloatingDtypes) {
    for (const bool training : {true, false}) {
      const Tensor w = leaf({5}, dtype), b = leaf({5}, dtype);
      const Tensor mean = numbers({5}, dtype), variance = numbers({5}, dtype);
      const Tensor x = leaf({7, 5, n.plane, n.plane}, dtype);
      run_backward(tern::batch_norm(x, w, b, mean, variance, training, 0.1, 1e-5));
    }
  }
}

void recurrent_layers(const Sizes& n) {
  for (const ScalarType dtype : {kFloat, kDouble}) {
    const Tensor x = leaf({5, n.side, 7}, dtype, -1, 1), h = leaf({2, n.side, 9}, dtype, -1, 1);
    const auto params = [&](std::int64_t rows) {
      std::vector<Tensor> all;
      for (int direction = 0; direction < 2; ++direction) {
        all.push_back(leaf({rows, 7}, dtype, -0.3, 0.3));
        all.push_back(leaf({rows, 9}, dtype, -0.3, 0.3));
      }
      return all;
    };
    run_backward(std::get<0>(tern::rnn_tanh(x, h, params(9), false, 1, 0, true, true, false)));
    run_backward(std::get<0>(tern::rnn_relu(x, h, params(9), false, 1, 0, true, true, false)));
    run_backward(std::get<0>(tern::gru(x, h, params(27), false, 1, 0, true, true, false)));
    run_backward(std::get<0>(tern::lstm(x, {h, h}, params(36), false, 1, 0, true, true, false)));
    const Tensor data = leaf({n.side + 1, 7}, dtype, -1, 1), sizes = tensor({n.side, 1});
    run_backward(std::get<0>(tern::gru(data, sizes, h, params(27), false, 1, 0, true, true)));
  }
}

void products(const Sizes& n) {
  for (const ScalarType dtype : kAllDtypes) {
    if (dtype == kBool) continue;
    const std::int64_t m = n.side, k = n.side / 2 + 1, l = 65;
    const Tensor a = numbers({m, k}, dtype), b = numbers({k, l}, dtype), bias = numbers({l}, dtype);
    a.mm(b);
    numbers({k, m}, dtype).t().mm(b);
    a.mm(numbers({l, k}, dtype).t());
    a.slice(0, 0, m, 2).mm(b);
    numbers({3, m, 33}, dtype).bmm(numbers({3, 33, l}, dtype));
    numbers({3, m, 33}, dtype).bmm(numbers({1, 33, l}, dtype).expand({3, 33, l}));
    tern::addmm(bias, a, b);
    tern::addmm(numbers({m, l}, dtype), a, b, 2, 3);
    a.mv(numbers({k}, dtype));
    numbers({n.row}, dtype).dot(numbers({n.row}, dtype));
  }
}

// Each matrix is near the identity, so that the results are exact.
Tensor matrices(std::int64_t batch, std::int64_t size, ScalarType dtype) {
  return numbers({batch, size, size}, dtype, -0.1, 0.1) / 8 +
         tern::diag_embed(tern::arange(1, size + 1, TensorOptions().dtype(dtype)));
}

void linear_algebra(const Sizes&) {
  for (const ScalarType dtype : {kFloat, kDouble}) {
    for (const std::int64_t size : {5, 33}) {
      const Tensor a = matrices(3, size, dtype), b = numbers({3, size, 4}, dtype);
      const Tensor symmetric = a + a.mT();
      tern::linalg_inv(a);
      tern::linalg_solve(a, b);
      tern::linalg_cholesky(symmetric);
      tern::linalg_det(matrices(3, 5, dtype));
      tern::linalg_solve_triangular(a, b, true);
      tern::linalg_eigh(symmetric);
      tern::linalg_lu_factor(a);
      tern::linalg_qr(a);
      tern::linalg_svd(a, false);
    }
  }
}

void convolutions(const Sizes& n) {
  for (const ScalarType dtype : kFloatingDtypes) {
    const std::int64_t p = n.plane;
    const auto check = [&](const Tensor& x, const Tensor& w, const Tensor& b, auto&&... options) {
      run_backward(tern::conv2d(x, w, b, options...));
    };
    check(leaf({2, 4, p, p + 1}, dtype), leaf({6, 4, 3, 3}, dtype), leaf({6}, dtype), 1, 1);
    check(leaf({2, 4, p, p + 1}, dtype), leaf({6, 2, 3, 2}, dtype), leaf({6}, dtype), 2, 1, 2, 2);
    run_backward(tern::conv1d(leaf({2, 3, p * 3}, dtype), leaf({5, 3, 5}, dtype)));
    run_backward(tern::conv3d(leaf({1, 2, 5, p, p}, dtype), leaf({3, 2, 2, 3, 3}, dtype)));
    run_backward(tern::conv_transpose2d(leaf({2, 4, p, p}, dtype), leaf({4, 3, 3, 3}, dtype)));
  }
}

void poolings(const Sizes& n) {
  for (const ScalarType dtype : kFloatingDtypes) {
    const Tensor x = leaf({3, 5, n.plane, n.plane + 1}, dtype);
    tern::max_pool2d(x, {3, 2}, {2, 1}, {1, 0}, {1, 2});
    run_backward(tern::avg_pool2d(x, {3, 2}, {2, 1}, {1, 0}));
    run_backward(tern::adaptive_avg_pool2d(x, {5, 3}));
    tern::adaptive_max_pool2d(x, {5, 3});
    tern::fractional_max_pool2d(x, {2, 2}, {5, 4}, numbers({3, 5, 2}, dtype, 0.1, 0.9));
  }
  tern::max_pool2d(numbers({3, 5, n.plane, n.plane}, kLong), 2);
}

void resamplings(const Sizes& n) {
  for (const ScalarType dtype : kFloatingDtypes) {
    const Tensor x = leaf({3, 5, n.plane, n.plane + 1}, dtype);
    const std::int64_t large = 2 * n.plane + 1, small = n.plane / 2;
    for (const auto& size : {std::array{large, large}, std::array{small, large}}) {
      run_backward(tern::upsample_nearest2d(x, size));
      run_backward(tern::upsample_bilinear2d(x, size, false));
      run_backward(tern::upsample_bicubic2d(x, size, true));
      run_backward(tern::_upsample_bilinear2d_aa(x, size, false));
    }
  }
}

void grids(const Sizes& n) {
  for (const ScalarType dtype : kFloatingDtypes) {
    for (const int mode : {0, 1, 2}) {
      const Tensor x = leaf({2, 3, n.plane, n.plane}, dtype);
      const Tensor grid = leaf({2, n.plane, 7, 2}, dtype, -0.9, 0.9);
      // float16 adds to the gradient in any order.
      const Tensor y = tern::grid_sampler(x, grid, mode, 1, false);
      if (dtype == kFloat || dtype == kDouble) run_backward(y);
    }
  }
}

void distances(const Sizes& n) {
  for (const ScalarType dtype : {kFloat, kDouble}) {
    for (const double p : {0.0, 1.0, 2.0, 3.0, std::numeric_limits<double>::infinity()}) {
      const Tensor x = leaf({2, n.plane, 33}, dtype), y = leaf({2, n.plane + 3, 33}, dtype);
      run_backward(tern::cdist(x, y, p));
      run_backward(tern::pdist(leaf({n.plane, 33}, dtype), p));
    }
  }
}

void draws(const Sizes& n) {
  for (const ScalarType dtype : kFloatingDtypes) {
    const TensorOptions options = TensorOptions().dtype(dtype);
    tern::rand({n.row}, options);
    tern::randn({n.row + 3}, options);
    Tensor x = numbers({n.side, 33}, dtype);
    x.bernoulli_(0.3);
    x.exponential_(2);
    x.cauchy_();
    x.log_normal_(0, 0.25);
    x.geometric_(0.4);
  }
  for (const ScalarType dtype : {kLong, kInt, kByte}) {
    tern::randint(100, {n.row}, TensorOptions().dtype(dtype));
  }
  tern::randint(std::int64_t{1} << 40, {n.row}, TensorOptions().dtype(kLong));
}

void samples(const Sizes& n) {
  for (const ScalarType dtype : kFloatingDtypes) {
    const Tensor x = numbers({n.side, 9}, dtype, 0.5, 20);
    tern::poisson(x);
    tern::binomial(x.floor(), numbers({n.side, 9}, dtype, 0.1, 0.9));
    tern::rrelu(x - 10, 0.125, 0.25, true);
  }
}

void multinomials(const Sizes& n) {
  for (const ScalarType dtype : {kFloat, kDouble}) {
    // Whole weights: their sums are exact in each order.
    const Tensor weights = numbers({5, n.side}, kLong).to(dtype);
    tern::multinomial(weights, 17, true);
    tern::multinomial(numbers({300}, kLong).to(dtype) + 1, 1000, true);
  }
}

void requirements(const Sizes& n) {
  tern::bernoulli(numbers({n.row}, kFloat, 0.1, 0.9));
  tern::poisson(numbers({n.row}, kDouble));
}

void steps(const Sizes& n) {
  for (const ScalarType dtype : kFloatingDtypes) {
    for (const testing::AnyOptimizer& any : testing::every_optimizer()) {
      if (!any.has_rule()) continue;
      std::vector<Tensor> parameters;
      for (const std::int64_t size : {std::int64_t{1}, std::int64_t{17}, n.side, n.row}) {
        parameters.push_back(leaf({size}, dtype));
        parameters.back().mutable_grad() = numbers({size}, dtype, -1, 1);
      }
      const auto optimizer = any.make(parameters);
      for (int i = 0; i < 2; ++i) optimizer->step();
    }
  }
}

}  // namespace

const std::vector<Case>& number_cases() {
  static const std::vector<Case> cases = {{Slot::reduce, reductions},
                                          {Slot::scan, scans},
                                          {Slot::softmax, softmaxes},
                                          {Slot::layer_norm, layer_norms},
                                          {Slot::attention, attentions},
                                          {Slot::batch_norm, batch_norms},
                                          {Slot::recurrent, recurrent_layers},
                                          {Slot::gemm, products},
                                          {Slot::linalg, linear_algebra},
                                          {Slot::convolution, convolutions},
                                          {Slot::pooling, poolings},
                                          {Slot::resample, resamplings},
                                          {Slot::grid_sample, grids},
                                          {Slot::cdist, distances},
                                          {Slot::random, draws},
                                          {Slot::sample, samples},
                                          {Slot::multinomial, multinomials},
                                          {Slot::require, requirements},
                                          {Slot::optim, steps}};
  return cases;
}

}  // namespace tern::slots
