#include <torch/torch.h>

#include <cstdio>

// StepLR and ReduceLROnPlateau, and a rate that the program sets.
int main() {
  torch::Tensor w = torch::ones({1}, torch::requires_grad());
  torch::optim::Adam adam({w}, torch::optim::AdamOptions(0.8));
  torch::optim::StepLR step(adam, /*step_size=*/2, /*gamma=*/0.5);
  for (int epoch = 0; epoch < 6; ++epoch) {
    std::printf("%.4f ", adam.param_groups()[0].options().get_lr());
    step.step();
  }
  std::printf("\n");
  torch::optim::SGD sgd({w}, torch::optim::SGDOptions(1.0));
  torch::optim::ReduceLROnPlateauScheduler plateau(
      sgd, torch::optim::ReduceLROnPlateauScheduler::min, 0.1f, 1);
  for (float loss : {1.0f, 0.9f, 0.95f, 0.96f, 0.97f, 0.5f, 0.6f, 0.7f, 0.8f}) {
    plateau.step(loss);
    std::printf("%.4f ", sgd.param_groups()[0].options().get_lr());
  }
  std::printf("\n");
  for (auto& group : sgd.param_groups()) group.options().set_lr(0.25);
  std::printf("%.4f\n",
              static_cast<torch::optim::SGDOptions&>(sgd.param_groups()[0].options()).lr());
}
