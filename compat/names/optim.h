#pragma once

#include <utility>

#include <tern/compat/names/torch.h>

namespace torch::optim {

/// tern::optim::StepLR that counts as libtorch does: the first step() changes nothing, so the
/// learning rates change at step `step_size` + 1. Python's and tern's change one step earlier.
class StepLR : public ::tern::optim::StepLR {
 public:
  using ::tern::optim::StepLR::StepLR;

  void step() override {
    if (std::exchange(has_started_, true)) ::tern::optim::StepLR::step();
  }

 private:
  bool has_started_ = false;
};

}  // namespace torch::optim
