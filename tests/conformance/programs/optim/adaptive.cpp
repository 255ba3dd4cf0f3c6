#include <torch/torch.h>

#include <cstdio>

// Adam, AdamW, RMSprop, Adagrad.
template <class Optimizer, class Options>
void run(const char* name, Options options) {
  torch::Tensor w = torch::tensor({1.0, -2.0}, torch::dtype(torch::kDouble).requires_grad(true));
  Optimizer optimizer(std::vector<torch::Tensor>{w}, options);
  for (int i = 0; i < 6; ++i) {
    optimizer.zero_grad();
    (w.pow(4) + w).sum().backward();
    optimizer.step();
  }
  std::printf("%s %.6f %.6f\n", name, w[0].item<double>(), w[1].item<double>());
}

int main() {
  using namespace torch::optim;
  run<Adam>("adam", AdamOptions(0.1));
  run<Adam>("amsgrad", AdamOptions(0.1).amsgrad(true).betas(std::make_tuple(0.5, 0.9)).eps(1e-6));
  run<Adam>("decay", AdamOptions(0.1).weight_decay(0.2));
  run<AdamW>("adamw", AdamWOptions(0.1).weight_decay(0.2));
  run<RMSprop>("rmsprop", RMSpropOptions(0.05).alpha(0.9));
  run<RMSprop>("centered", RMSpropOptions(0.05).centered(true).momentum(0.5).eps(1e-5));
  run<Adagrad>("adagrad", AdagradOptions(0.2).lr_decay(0.1).initial_accumulator_value(0.5));
}
