// A tour of autograd: one short section for each of its parts.
//
//   autograd_tour
//
// Expected: the gradient [2, 4, 6] of a sum of squares; derivatives 32, 48 and 48 of x^4 at 2; a
// diagonal jacobian and hessian; "true" for the checkpoint; errors that name the inference tensor
// and the op of a NaN, SqrtBackward0. The last line is "end of the tour".

#include <cmath>
#include <iostream>

#include <tern/tern.h>

#include "support/command_line.h"

namespace {

using namespace tern;

void gradients() {
  const Tensor x = tensor({1.0, 2.0, 3.0}).requires_grad_();
  (x * x).sum().backward();
  std::cout << "2 x: " << x.grad() << "\n";
  (x * x).sum().backward();  // gradients add up until zero_grad() or x.mutable_grad().reset()
  std::cout << "twice: " << x.grad() << "\n";
}

void hooks() {
  const Tensor x = tensor({1.0, 2.0}).requires_grad_();
  const unsigned number = x.register_hook([](const Tensor& gradient) { return gradient * 10; });
  const Tensor middle = x * 3;
  middle.retain_grad();  // keeps the gradient of a tensor that is no leaf
  middle.sum().backward();
  std::cout << "with a hook: " << x.grad() << ", of the middle: " << middle.grad() << "\n";
  x.remove_hook(number);

  nn::Linear layer(2, 2);
  layer->register_forward_hook([](nn::Module& module, const auto&, nn::AnyValue& output) {
    std::cout << module.name() << " returned sizes " << output.get<Tensor>().sizes() << "\n";
  });
  layer(ones({5, 2}));
}

void higher_orders() {
  const Tensor x = tensor(2.0).requires_grad_();
  Tensor y = x.pow(4);
  for (int order = 1; order <= 3; ++order) {
    y = autograd::grad({y}, {x}, {}, true, /*create_graph=*/true)[0];
    std::cout << "derivative " << order << " of x^4 at 2: " << y.item<double>() << "\n";
  }
  // A penalty on the norm of the gradient: the loss contains a gradient and is differentiated.
  nn::Linear critic(2, 1);
  const Tensor points = randn({8, 2}).requires_grad_();
  const Tensor slope =
      autograd::grad({critic(points).sum()}, {points}, {}, true, /*create_graph=*/true)[0];
  (slope.norm(2, 1) - 1).square().mean().backward();
  std::cout << "gradient of the penalty: " << critic->weight.grad().sizes() << "\n";
}

void jacobians() {
  using namespace autograd::functional;
  const Tensor x = tensor({1.0, 2.0}, kDouble);
  std::cout << "jacobian of x^2:\n"
            << jacobian([](const Tensor& t) { return t.square(); }, x) << "\n";
  std::cout << "hessian of the sum of x^3:\n"
            << hessian([](const Tensor& t) { return t.pow(3).sum(); }, x) << "\n";
}

void less_memory() {
  manual_seed(1);
  nn::Sequential block{nn::Linear(4, 64), nn::Tanh(), nn::Dropout(0.5), nn::Linear(64, 1)};
  const Tensor x = randn({16, 4});
  manual_seed(2);
  block->forward(x).sum().backward();
  const Tensor expected = block->parameters()[0].grad().clone();
  block->zero_grad();
  manual_seed(2);
  // Keeps the input alone; backward computes the block again, with the same dropout.
  autograd::checkpoint([&](const Tensor& in) { return block->forward(in); }, x).sum().backward();
  std::cout << std::boolalpha << "the same gradient with checkpoint: "
            << expected.equal(block->parameters()[0].grad()) << "\n";
}

void without_recording() {
  Tensor w = ones({2}).requires_grad_();
  {
    const NoGradGuard no_grad;
    std::cout << "in no_grad mode: requires_grad " << (w * 2).requires_grad() << "\n";
    w.mul_(3);  // changes a leaf in place, as optimizers do
  }
  const Tensor made = [&] {
    const InferenceMode inference;
    return w * 2;
  }();
  try {
    (w * made).sum().backward();  // would have to save `made`
  } catch (const Error& error) {
    std::cout << "inference tensor: " << error.what() << "\n";
  }
}

void anomalies() {
  const Tensor x = tensor({-1.0, 4.0}).requires_grad_();
  const autograd::DetectAnomalyGuard anomaly;  // in forward, too, to know the op
  const Tensor y = x.sqrt();                   // NaN at -1
  try {
    y.sum().backward();
  } catch (const Error& error) {
    std::cout << "anomaly: " << error.what() << "\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  support::CommandLine line("Shows the parts of autograd.", "autograd_tour");
  return line.run(argc, argv, [] {
    manual_seed(1);
    for (const auto section :
         {gradients, hooks, higher_orders, jacobians, less_memory, without_recording, anomalies}) {
      section();
    }
    std::cout << "end of the tour\n";
  });
}
