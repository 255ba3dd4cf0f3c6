#include <torch/torch.h>

#include <functional>
#include <iostream>

using torch::Tensor;

// Losses of differences: the functional warns about sizes that differ, the functions of torch do
// not.
static void show(const char* what, const std::function<Tensor()>& make) {
  std::cout << what << ": ";
  try {
    const Tensor result = make();
    std::cout << torch::toString(result.scalar_type()) << " " << result.sizes() << " "
              << result.detach().to(torch::kDouble).sum().item<double>() << "\n";
  } catch (const c10::Error&) {
    std::cout << "error\n";
  }
}

int main() {
  namespace F = torch::nn::functional;
  struct Handler : c10::WarningHandler {
    void process(const c10::Warning& warning) override {
      std::cout << "[" << warning.msg().substr(0, 60) << "] ";
    }
  } handler;
  const c10::WarningUtils::WarningHandlerGuard guard(&handler);
  const Tensor p = torch::linspace(0.05, 0.95, 6).view({2, 3});
  const Tensor q = torch::linspace(0.9, 0.1, 6).view({2, 3}), d = p.to(torch::kDouble);
  const Tensor i = torch::arange(6).view({2, 3});
  show("torch::mse_loss(p, q[0])", [&] { return torch::mse_loss(p, q[0]); });
  show("F::mse_loss(p, q[0])", [&] { return F::mse_loss(p, q[0]); });
  show("torch::mse_loss(p, d)", [&] { return torch::mse_loss(p, d); });
  show("torch::mse_loss(p, i, 0)", [&] { return torch::mse_loss(p, i, 0); });
  show("torch::mse_loss(i, i)", [&] { return torch::mse_loss(i, i); });
  show("torch::l1_loss(p, q[0])", [&] { return torch::l1_loss(p, q[0]); });
  show("F::l1_loss(p, q[0])", [&] { return F::l1_loss(p, q[0]); });
  show("torch::l1_loss(i, i)", [&] { return torch::l1_loss(i, i); });
  show("torch::l1_loss(i, i, 2)", [&] { return torch::l1_loss(i, i, 2); });
  show("torch::smooth_l1_loss(p, q[0])", [&] { return torch::smooth_l1_loss(p, q[0]); });
  show("F::smooth_l1_loss(p, q[0])", [&] { return F::smooth_l1_loss(p, q[0]); });
  show("torch::smooth_l1_loss(p, q, 0, 0.1)", [&] { return torch::smooth_l1_loss(p, q, 0, 0.1); });
  show("torch::smooth_l1_loss(p, q, 1, 0)", [&] { return torch::smooth_l1_loss(p, q, 1, 0); });
  show("torch::smooth_l1_loss(p, q, 1, -1)", [&] { return torch::smooth_l1_loss(p, q, 1, -1); });
  show("torch::smooth_l1_loss(p, d)", [&] { return torch::smooth_l1_loss(p, d); });
  show("torch::huber_loss(p, q[0])", [&] { return torch::huber_loss(p, q[0]); });
  show("F::huber_loss(p, q[0])", [&] { return F::huber_loss(p, q[0]); });
  show("torch::huber_loss(d, p, 0, 0.1)", [&] { return torch::huber_loss(d, p, 0, 0.1); });
  show("torch::huber_loss(p, i)", [&] { return torch::huber_loss(p, i); });
  show("torch::huber_loss(p, q, 1, 0)", [&] { return torch::huber_loss(p, q, 1, 0); });
  show("torch::soft_margin_loss(p, q[0])", [&] { return torch::soft_margin_loss(p, q[0]); });
  show("torch::soft_margin_loss(i, i)", [&] { return torch::soft_margin_loss(i, i); });
  show("torch::kl_div(p.log(), q)", [&] { return torch::kl_div(p.log(), q); });
  show("torch::kl_div(p.log(), q[0], 2, true)",
       [&] { return torch::kl_div(p.log(), q[0], 2, true); });
  show("torch::kl_div(p, i)", [&] { return torch::kl_div(p, i); });
  show("torch::poisson_nll_loss(p, q, true, false, 1e-8, 1)",
       [&] { return torch::poisson_nll_loss(p, q, true, false, 1e-8, 1); });
  show("torch::poisson_nll_loss(p, q[0], false, true, 1e-8, 0)",
       [&] { return torch::poisson_nll_loss(p, q[0], false, true, 1e-8, 0); });
  show("torch::poisson_nll_loss(i, i, false, false, 1e-8, 1)",
       [&] { return torch::poisson_nll_loss(i, i, false, false, 1e-8, 1); });
  show("torch::mse_loss(p, torch::ones({4}))",
       [&] { return torch::mse_loss(p, torch::ones({4})); });
}
