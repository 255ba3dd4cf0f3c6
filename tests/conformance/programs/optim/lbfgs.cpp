#include <torch/torch.h>

#include <cstdio>

// LBFGS with a closure.
int main() {
  for (bool wolfe : {false, true}) {
    torch::Tensor x = torch::tensor({-1.0, 1.5}, torch::dtype(torch::kDouble).requires_grad(true));
    auto options = torch::optim::LBFGSOptions(wolfe ? 1.0 : 0.1).max_iter(10).history_size(5);
    if (wolfe) options.line_search_fn("strong_wolfe");
    torch::optim::LBFGS lbfgs({x}, options);
    auto closure = [&]() -> torch::Tensor {
      lbfgs.zero_grad();
      torch::Tensor loss = (1 - x[0]).pow(2) + 10 * (x[1] - x[0].pow(2)).pow(2);
      loss.backward();
      return loss;
    };
    torch::Tensor first = lbfgs.step(closure);
    for (int i = 0; i < 4; ++i) lbfgs.step(closure);
    std::printf("%.4f %.4f %.4f\n", first.item<double>(), x[0].item<double>(), x[1].item<double>());
  }
}
