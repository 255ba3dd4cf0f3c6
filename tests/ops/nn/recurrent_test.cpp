#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include <tern/core/autograd/gradcheck.h>
#include <tern/tern.h>

#include "brief.h"
#include "error_of.h"

// The functions of recurrent layers, whose arguments are lists that no record can draw. PyTorch's
// numbers are in nn/modules/recurrent/recurrent_test.

namespace tern {
namespace {

using Tensors = std::vector<Tensor>;

enum class Kind { kTanh, kRelu, kLstm, kGru };
constexpr Kind kRecurrentKinds[] = {Kind::kTanh, Kind::kRelu, Kind::kLstm, Kind::kGru};

/// A network of sizes I = 2, H = 2 and two sequences, in float64.
struct SmallNetwork {
  Kind kind;
  std::int64_t layers = 1, projection = 0;
  bool bidirectional = false, has_biases = true;

  std::size_t states() const { return kind == Kind::kLstm ? 2 : 1; }

  /// The input [rows.., 2], the states and the parameters, drawn.
  Tensors inputs(IntArrayRef rows) const {
    const std::int64_t gates = kind == Kind::kLstm ? 4 : kind == Kind::kGru ? 3 : 1;
    const std::int64_t directions = bidirectional ? 2 : 1, out = projection > 0 ? projection : 2;
    DimVector sizes = rows;
    sizes.push_back(2);
    Tensors all = {randn(sizes, kDouble), randn({layers * directions, 2, out}, kDouble)};
    if (states() == 2) all.push_back(randn({layers * directions, 2, 2}, kDouble));
    for (std::int64_t layer = 0; layer < layers; ++layer) {
      for (std::int64_t direction = 0; direction < directions; ++direction) {
        all.push_back(randn({gates * 2, layer == 0 ? 2 : directions * out}, kDouble));
        all.push_back(randn({gates * 2, out}, kDouble));
        for (int i = 0; has_biases && i < 2; ++i) all.push_back(randn({gates * 2}, kDouble));
        if (projection > 0) all.push_back(randn({projection, 2}, kDouble));
      }
    }
    for (Tensor& tensor : all) tensor.requires_grad_();
    return all;
  }

  /// Calls the function with these inputs; packed if `batch_sizes` is defined.
  Tensors run(const Tensors& in, const Tensor& batch_sizes = {}) const {
    const Tensors hx(in.begin() + 1, in.begin() + 1 + static_cast<std::ptrdiff_t>(states()));
    const Tensors params(in.begin() + 1 + static_cast<std::ptrdiff_t>(states()), in.end());
    const auto list = [](const auto& results) {
      return std::apply([](const auto&... tensors) { return Tensors{tensors...}; }, results);
    };
    const auto call = [&](const auto& function, const auto& state) {
      return batch_sizes.defined() ? list(function(in[0], batch_sizes, state, params, has_biases,
                                                   layers, 0.0, true, bidirectional))
                                   : list(function(in[0], state, params, has_biases, layers, 0.0,
                                                   true, bidirectional, false));
    };
    const auto of = [](auto function) { return function; };
    switch (kind) {
      case Kind::kTanh:
        return call(of([](const auto&... args) { return rnn_tanh(args...); }), hx[0]);
      case Kind::kRelu:
        return call(of([](const auto&... args) { return rnn_relu(args...); }), hx[0]);
      case Kind::kLstm:
        return call(of([](const auto&... args) { return lstm(args...); }), TensorList(hx));
      default:
        return call(of([](const auto&... args) { return gru(args...); }), hx[0]);
    }
  }
};

std::vector<SmallNetwork> small_networks() {
  std::vector<SmallNetwork> all;
  for (const Kind kind : kRecurrentKinds) {
    all.push_back({kind});
    all.push_back({kind, 2, 0, true});
    all.push_back({kind, 1, 0, true, false});
  }
  all.push_back({Kind::kLstm, 1, 1, true});
  return all;
}

/// Runs the nodes of the second derivatives, without a look at their numbers.
void differentiate_twice(const Tensors& outputs, const Tensors& in) {
  Tensor sum = zeros({}, kDouble);
  for (const Tensor& output : outputs) sum = sum + output.square().sum();
  const Tensors first = autograd::grad({sum}, in, {}, std::nullopt, /*create_graph=*/true);
  Tensor again = zeros({}, kDouble);
  for (const Tensor& gradient : first) again = again + gradient.square().sum();
  for (const Tensor& gradient : autograd::grad({again}, in)) {
    EXPECT_TRUE(gradient.isfinite().all().item<bool>());
  }
}

TEST(RecurrentOps, HaveFirstAndSecondGradients) {
  manual_seed(3);
  const Tensor batch_sizes = tensor({2, 1, 1});
  // There the check of the larger networks would take half a minute.
  const bool is_slow = testing::is_brief_run();
  for (const SmallNetwork& net : small_networks()) {
    for (const bool is_packed : {false, true}) {
      SCOPED_TRACE(::testing::Message() << static_cast<int>(net.kind) << ", layers " << net.layers);
      const auto run = [&](const Tensors& in) {
        return net.run(in, is_packed ? batch_sizes : Tensor());
      };
      const Tensors in = is_packed ? net.inputs({4}) : net.inputs({3, 2});
      // Each element of the larger networks would take half a minute.
      EXPECT_TRUE(autograd::gradcheck(run, in, {.fast_mode = net.bidirectional}));
      if (is_slow && (net.layers > 1 || is_packed)) {
        differentiate_twice(run(in), in);
      } else {
        EXPECT_TRUE(autograd::gradgradcheck(run, in, {.fast_mode = true}));
      }
    }
  }
}

TEST(RecurrentOps, ComputeGradientsOfSomeInputs) {
  // States that depend on the input must not count twice in the gradient of the input.
  manual_seed(4);
  const SmallNetwork net{Kind::kLstm};
  const Tensors in = net.inputs({3, 2});
  const auto run = [&](const Tensors& x) {
    Tensors all = in;
    for (Tensor& tensor : all) tensor = tensor.detach();
    all[0] = x[0];
    all[1] = x[0].slice(0, 0, 1) * 2;
    return net.run(all);
  };
  EXPECT_TRUE(autograd::gradcheck(run, {in[0]}));
  EXPECT_TRUE(autograd::gradgradcheck(run, {in[0]}));
}

TEST(RecurrentOps, CellsHaveFirstAndSecondGradients) {
  manual_seed(5);
  for (const Kind kind : kRecurrentKinds) {
    const SmallNetwork net{kind};
    Tensors in = net.inputs({2});
    for (std::size_t i = 1; i <= net.states(); ++i) {
      in[i] = in[i].detach()[0].clone().requires_grad_();
    }
    const std::size_t first = 1 + net.states();
    const auto run = [&](const Tensors& x) -> Tensors {
      const Tensor &w = x[first], &u = x[first + 1], &b = x[first + 2], &c = x[first + 3];
      switch (kind) {
        case Kind::kTanh:
          return {rnn_tanh_cell(x[0], x[1], w, u, b, c)};
        case Kind::kRelu:
          return {rnn_relu_cell(x[0], x[1], w, u, b, c)};
        case Kind::kGru:
          return {gru_cell(x[0], x[1], w, u, b, c)};
        default: {
          const auto [h, cell] = lstm_cell(x[0], {x[1], x[2]}, w, u, b, c);
          return {h, cell};
        }
      }
    };
    EXPECT_TRUE(autograd::gradcheck(run, in));
    EXPECT_TRUE(autograd::gradgradcheck(run, in));
  }
}

TEST(RecurrentOps, PackedRowsAreThoseOfEachSequenceAlone) {
  manual_seed(6);
  const Tensor batch_sizes = tensor({2, 2, 1});
  for (const SmallNetwork& net : small_networks()) {
    const Tensors in = net.inputs({5});  // lengths 3 and 2
    const Tensors packed = net.run(in, batch_sizes);
    const Tensor rows[] = {tensor({0, 2, 4}), tensor({1, 3})};
    for (std::int64_t b = 0; b < 2; ++b) {
      Tensors one = in;
      one[0] = in[0].index_select(0, rows[b]).unsqueeze(1);
      for (std::size_t i = 1; i <= net.states(); ++i) one[i] = in[i].narrow(1, b, 1);
      const Tensors alone = net.run(one);
      EXPECT_TRUE(allclose(packed[0].index_select(0, rows[b]), alone[0].squeeze(1), 1e-12, 1e-12));
      for (std::size_t i = 1; i < alone.size(); ++i) {
        EXPECT_TRUE(allclose(packed[i].narrow(1, b, 1), alone[i], 1e-12, 1e-12));
      }
    }
  }
}

// The indices of packed rows are made on the CPU, even where other tensors are made elsewhere.
TEST(RecurrentOps, PackedRowsDoNotDependOnTheDefaultDevice) {
  manual_seed(7);
  const SmallNetwork net{Kind::kGru};
  const Tensor batch_sizes = tensor({2, 1, 1});
  const Tensors in = net.inputs({4});
  const Tensors want = autograd::grad({net.run(in, batch_sizes)[0].sum()}, in);
  set_default_device(Device("cuda:0"));
  Tensors there;
  for (const Tensor& tensor : in) there.push_back(tensor.detach().cuda().requires_grad_());
  const Tensors here = autograd::grad({net.run(in, batch_sizes)[0].sum()}, in);
  const Tensors got = autograd::grad({net.run(there, batch_sizes)[0].sum()}, there);
  set_default_device(kCPU);
  for (std::size_t i = 0; i < in.size(); ++i) {
    EXPECT_TRUE(here[i].equal(want[i])) << i;
    EXPECT_TRUE(got[i].device().is_cuda() && allclose(got[i].cpu(), want[i], 1e-12, 1e-12)) << i;
  }
}

TEST(RecurrentOps, OutputIsNoView) {
  manual_seed(7);
  const SmallNetwork net{Kind::kTanh};
  const Tensors in = net.inputs({3, 2});
  const Tensor out = net.run(in)[0];
  EXPECT_FALSE(out.is_view());
  {
    const NoGradGuard no_grad;
    out.mul_(2);
  }
  // The layer's rule has saved the rows that have changed.
  EXPECT_NE(error_of([&] { out.sum().backward(); }).find("modified by an inplace operation"),
            std::string::npos);
}

TEST(RecurrentOps, RefuseWrongArguments) {
  const SmallNetwork net{Kind::kGru};
  const Tensors good = net.inputs({3, 2});
  const auto error = [&](std::size_t index, const Tensor& replacement, const Tensor& sizes = {}) {
    Tensors in = good;
    in[index] = replacement;
    return error_of([&] { net.run(in, sizes); });
  };
  EXPECT_EQ(error(0, zeros({2, 2}, kDouble)), "gru: input must have 3 dimensions, got 2");
  EXPECT_EQ(error(0, zeros({3, 2, 2}, kLong)),
            "gru: expected an input of a floating point dtype, got Long");
  EXPECT_EQ(error(0, zeros({0, 2, 2}, kDouble)),
            "gru: Expected sequence length to be larger than 0 in RNN");
  EXPECT_EQ(error(1, zeros({1, 3, 2}, kDouble)),
            "gru: Expected hidden states of 2 sequences, got 3");
  EXPECT_EQ(error(1, zeros({0, 2, 2}, kDouble)),
            "gru: Expected more hidden states in stacked_rnn: 1 layers with 1 directions need 1, "
            "got 0");
  EXPECT_EQ(error(2, zeros({6, 3}, kDouble)),
            "gru: weight_ih_l0 must have sizes [6, 2], got [6, 3]");
  EXPECT_EQ(error(5, zeros({5}, kDouble)), "gru: bias_hh_l0 must have sizes [6], got [5]");
  EXPECT_EQ(error(3, zeros({6, 2})),
            "gru: Input and parameter tensors are not the same dtype, found input tensor with "
            "Double and parameter tensor with Float");
  const Tensor data = zeros({3, 2}, kDouble);
  EXPECT_EQ(error(0, data, tensor({1, 2})),
            "gru: batch_sizes must be positive and must not grow, got 2 at step 1");
  EXPECT_EQ(error(0, data, tensor({2, 2})),
            "gru: batch_sizes add up to 4, but the packed data has 3 rows");
  EXPECT_EQ(error(0, data, tensor({2., 1.})),
            "gru: batch_sizes must be a 1-d int64 tensor that is not empty, got Float of sizes "
            "[2]");
  Tensors params(good.begin() + 2, good.end());
  EXPECT_EQ(error_of([&] { lstm(good[0], {good[1]}, params, true, 1, 0, true, false, false); }),
            "lstm expects two hidden states, got 1");
  params.pop_back();
  EXPECT_EQ(error_of([&] { gru(good[0], good[1], params, true, 1, 0, true, false, false); }),
            "gru: expected 4 parameters (4 for each of 1 layers in 1 directions), got 3");
  EXPECT_EQ(error_of([&] {
              gru_cell(good[0][0], zeros({3, 2}, kDouble), good[2], good[3]);
            }),
            "gru_cell: expected a hidden state of sizes [2, *], got [3, 2]");
}

// The golden numbers are PyTorch's on the CPU: a gradient passes a relu whose result is NaN. cuDNN
// may differ.
TEST(RecurrentOps, GradientsPassStatesThatAreNan) {
  const bool was_enabled = backends::cudnn.enabled.exchange(false);
  for (const Device device : {Device("cpu"), Device("cuda:0")}) {
    SCOPED_TRACE(device);
    const Tensor x = tensor({1., NAN, -1.}).reshape({3, 1, 1}).to(device).requires_grad_();
    const Tensor w_ih = ones({2, 1}).to(device);
    const Tensor w_hh = tensor({{1., 2.}, {3., 4.}}).to(device), h = w_ih.new_zeros({1, 1, 2});
    std::get<0>(rnn_relu(x, h, {w_ih, w_hh}, false, 1, 0, true, false, false)).sum().backward();
    EXPECT_TRUE(x.grad().cpu().flatten().equal(tensor({66., 12., 2.}))) << x.grad();
  }
  backends::cudnn.enabled = was_enabled;
}

}  // namespace
}  // namespace tern
