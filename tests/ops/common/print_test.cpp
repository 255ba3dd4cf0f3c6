#include <cmath>
#include <sstream>

#include <gtest/gtest.h>

#include <tern/tern.h>

#include "golden/golden.h"

namespace tern {
namespace {

struct PrintCase {
  std::string expression;
  std::string text;
};

/// The cases of golden/ops/print.json, printed.
std::vector<PrintCase> print_cases() {
#define TERN_PRINTS(...) \
  { #__VA_ARGS__, to_string(__VA_ARGS__) }
  return {
      TERN_PRINTS(tensor({1., 2., 3.})),
      TERN_PRINTS(tensor({1.5, -2.25, 1000.})),
      TERN_PRINTS(tensor({0.0001, 1.})),
      TERN_PRINTS(tensor({0.00001, 1.})),
      TERN_PRINTS(tensor({0.001, 1.})),
      TERN_PRINTS(tensor({1000., 0.5})),
      TERN_PRINTS(tensor({1001., 1.})),
      TERN_PRINTS(tensor({1e8, 1.})),
      TERN_PRINTS(tensor({100000000., 200000000.})),
      TERN_PRINTS(tensor({123456789., 1.})),
      TERN_PRINTS(tensor({1e-10, 1e10})),
      TERN_PRINTS(tensor({NAN, 1., -2.})),
      TERN_PRINTS(tensor({INFINITY, -INFINITY, NAN})),
      TERN_PRINTS(tensor({INFINITY, 0.5})),
      TERN_PRINTS(tensor({0., 0.})),
      TERN_PRINTS(tensor({-0., 0.})),
      TERN_PRINTS(tensor({NAN, NAN})),
      TERN_PRINTS(tensor({0., NAN, 1e-5})),
      TERN_PRINTS(tensor(3.)),
      TERN_PRINTS(tensor(3.14159)),
      TERN_PRINTS(tensor(1e-7)),
      TERN_PRINTS(tensor(NAN)),
      TERN_PRINTS(tensor(7)),
      TERN_PRINTS(tensor(true)),
      TERN_PRINTS(tensor({true, false})),
      TERN_PRINTS(tensor({1, -20, 300})),
      TERN_PRINTS(tensor({9223372036854775807, -1})),
      TERN_PRINTS(tensor({1.5, 2.5}, kDouble)),
      TERN_PRINTS(tensor({1, 0}, kDouble)),
      TERN_PRINTS(tensor(1.5, kDouble)),
      TERN_PRINTS(tensor({0.1, 0.2}) / 3),
      TERN_PRINTS(tensor({{1., 2.}, {3., 4.}})),
      TERN_PRINTS(tensor({{1.5, -2.}, {300., 4.}})),
      TERN_PRINTS(ones({2, 3, 2})),
      TERN_PRINTS(ones({2, 2, 2, 2})),
      TERN_PRINTS(arange(24).reshape({2, 3, 4})),
      TERN_PRINTS(eye(3)),
      TERN_PRINTS(linspace(0, 1, 30)),
      TERN_PRINTS(arange(100)),
      TERN_PRINTS(arange(1001)),
      TERN_PRINTS(arange(2000).reshape({40, 50})),
      TERN_PRINTS(arange(1200.).reshape({2, 6, 100})),
      TERN_PRINTS(linspace(-1, 1, 2000) * 1000),
      TERN_PRINTS(full({1001}, 2.5)),
      TERN_PRINTS(full({2, 600}, 0.001)),
      TERN_PRINTS(ones({7, 200})),
      TERN_PRINTS(empty({0})),
      TERN_PRINTS(empty({0, 3})),
      TERN_PRINTS(empty({2, 0, 3})),
      TERN_PRINTS(empty({0}, kDouble)),
      TERN_PRINTS(empty({0}, kLong)),
      TERN_PRINTS(empty({0, 2}, kBool)),
      TERN_PRINTS(zeros({2}).to("meta")),
      TERN_PRINTS(zeros({2, 3}, kLong).to("meta")),
      TERN_PRINTS(ones({2}).requires_grad_()),
      TERN_PRINTS(ones({2}, kDouble).requires_grad_()),
      TERN_PRINTS(ones({2}).requires_grad_().exp()),
      TERN_PRINTS(ones({2, 2}).requires_grad_().sum()),
      TERN_PRINTS(ones({2, 2}).requires_grad_().mm(ones({2, 2}))),
      TERN_PRINTS((ones({2}).requires_grad_()).relu()),
      TERN_PRINTS(ones({2, 2}).requires_grad_().t()),
      TERN_PRINTS(ones({4}, kDouble).requires_grad_().exp().sigmoid()),
      TERN_PRINTS((ones({11}).requires_grad_() * ones({11})).tanh()),
      TERN_PRINTS(full({10}, 1.).requires_grad_()),
      TERN_PRINTS(full({14}, 1.).requires_grad_()),
      TERN_PRINTS(full({9}, 0.5, kDouble).requires_grad_()),
      TERN_PRINTS(ones({2}).requires_grad_().mean()),
      TERN_PRINTS(ones({2, 2}).requires_grad_()[0]),
      TERN_PRINTS(ones({2, 2}).requires_grad_().view({4})),
      TERN_PRINTS(ones({2, 2}).requires_grad_().log_softmax(0)),
  };
#undef TERN_PRINTS
}

TEST(Print, EqualsPython) {
  const nlohmann::json& goldens = testing::golden("ops/print")["printed"];
  const std::vector<PrintCase> cases = print_cases();
  ASSERT_EQ(cases.size(), goldens.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(cases[i].expression, goldens[i][0].get<std::string>());
    EXPECT_EQ(cases[i].text, goldens[i][1].get<std::string>()) << cases[i].expression;
  }
}

TEST(Print, StreamsAndShowsUndefined) {
  std::ostringstream out;
  out << tensor({1, 2}) << Tensor();
  EXPECT_EQ(out.str(), "tensor([1, 2])tensor(undefined)");
}

TEST(Print, FollowsOptions) {
  const PrintOptions before = get_printoptions();
  PrintOptions options = before;
  options.precision = 2;
  options.threshold = 4;
  options.edgeitems = 1;
  set_printoptions(options);
  EXPECT_EQ(to_string(tensor({0.125, 1., 2., 3.})), "tensor([0.12, 1.00, 2.00, 3.00])");
  EXPECT_EQ(to_string(arange(5)), "tensor([0,  ..., 4])");
  options.linewidth = 20;
  set_printoptions(options);
  EXPECT_EQ(to_string(tensor({1., 2., 3.5, 4.})), "tensor([1.00, 2.00,\n        3.50, 4.00])");
  // What follows the elements wraps as in Python.
  options = before;
  options.linewidth = 40;
  set_printoptions(options);
  EXPECT_EQ(to_string(ones({2}, kDouble).requires_grad_()),
            "tensor([1., 1.], dtype=torch.float64,\n       requires_grad=True)");
  EXPECT_EQ(to_string(ones({2}).requires_grad_()), "tensor([1., 1.], requires_grad=True)");
  EXPECT_EQ(to_string(ones({3}, kDouble).requires_grad_()),
            "tensor([1., 1., 1.],\n       dtype=torch.float64,\n       requires_grad=True)");
  set_printoptions(before);
}

TEST(Print, LeavesTheTensorAlone) {
  const Tensor x = ones({2, 2}).requires_grad_();
  Tensor y = x * 1;
  const auto node = y.grad_fn();
  to_string(y[0]);
  EXPECT_EQ(y.grad_fn().get(), node.get());
  EXPECT_EQ(y._version(), 0);
}

TEST(Print, OfAPieceThatMustNotBeUsedAnyMore) {
  const Tensor x = ones({2}).requires_grad_();
  Tensor y = x * 1;
  const Tensor piece = y.unbind()[0];
  y.mul_(2);
  EXPECT_EQ(to_string(piece), "tensor(2., grad_fn=<Invalid>)");
}

TEST(Print, OfSmallThings) {
  const auto text = [](const auto& value) {
    std::ostringstream out;
    out << value;
    return out.str();
  };
  EXPECT_EQ(text(ones({2, 3}).sizes()), "[2, 3]");
  EXPECT_EQ(text(kFloat), "Float");
  EXPECT_EQ(text(Device("cuda:1")), "cuda:1");
  EXPECT_EQ(text(kCUDA), "cuda");
}

}  // namespace
}  // namespace tern
