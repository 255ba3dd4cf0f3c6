#include <algorithm>
#include <utility>
#include <vector>

#include <tern/core/kernels/backend.h>
#include <tern/core/ops/create/creation.h>
#include <tern/core/ops/elementwise/arithmetic.h>
#include <tern/nn/optim/detail/captured_step.h>

namespace tern::optim::detail {

namespace {

/// Calls visit(tensor) for every defined tensor of a state.
template <class Visit>
void for_each_tensor(const StateFields& state, const Visit& visit) {
  for (Tensor* tensor : state.tensors) {
    if (tensor != nullptr && tensor->defined()) visit(*tensor);
  }
  if (state.device_step != nullptr && state.device_step->defined()) visit(*state.device_step);
}

/// The states that the kernels of a graph use.
class CapturedStates {
 public:
  CapturedStates(const Optimizer& optimizer, const Update* begin, const Update* end) {
    for (const Update* update = begin; update != end; ++update) {
      Captured captured{update->parameter.unsafeGetTensorImpl(), {}};
      OptimizerParamState* state = find(optimizer, captured);
      if (state == nullptr) continue;
      for_each_tensor(StateFields(*state),
                      [&](const Tensor& tensor) { captured.tensors.push_back(tensor.detach()); });
      states_.push_back(std::move(captured));
    }
  }

  /// Throws Error if the optimizer no longer has the captured tensors.
  void check(const Optimizer& optimizer) const {
    for (const Captured& captured : states_) {
      std::vector<const void*> now;
      if (OptimizerParamState* state = find(optimizer, captured)) {
        for_each_tensor(StateFields(*state),
                        [&](const Tensor& tensor) { now.push_back(tensor.data_ptr()); });
      }
      const bool has_all =
          std::all_of(captured.tensors.begin(), captured.tensors.end(), [&](const Tensor& tensor) {
            return std::find(now.begin(), now.end(), tensor.data_ptr()) != now.end();
          });
      TERN_CHECK(has_all, Error,
                 "the graph cannot replay the optimizer's step, because since the capture the "
                 "optimizer's state was replaced or only some of the parameters took a step. "
                 "Capture the step again");
    }
  }

  void count_replay(const Optimizer& optimizer) const {
    for (const Captured& captured : states_) {
      OptimizerParamState* state = find(optimizer, captured);
      if (state == nullptr) continue;
      if (std::int64_t* step = StateFields(*state).step) ++*step;
    }
  }

 private:
  struct Captured {
    void* key = nullptr;          // key in the optimizer's state
    std::vector<Tensor> tensors;  // share the elements of the state and keep them alive
  };

  static OptimizerParamState* find(const Optimizer& optimizer, const Captured& captured) {
    const auto found = optimizer.state().find(captured.key);
    return found == optimizer.state().end() ? nullptr : found->second.get();
  }

  std::vector<Captured> states_;
};

}  // namespace

void check_capturable(const StepRule& rule, const Optimizer& optimizer) {
  // What a kernel computes without the number of the step is the same in each replay.
  if (rule.set_rule != nullptr && !rule.uses_step && rule.prepare == nullptr) return;
  for (const OptimizerParamGroup& group : optimizer.param_groups()) {
    if (RuleArguments(group.options()).capturable) continue;
    for (const Tensor& parameter : group.params()) {
      TERN_CHECK(!kernels::is_capturing(parameter.device()), Error,
                 "Attempting CUDA graph capture of step() for an instance of ", rule.name,
                 " but param_groups' capturable is False.");
    }
  }
}

void refuse_capture_of_first_step(Device device) {
  TERN_CHECK(
      !kernels::is_capturing(device), Error,
      "the first step of a parameter cannot be captured, because every replay would start from "
      "zeros again. Call step() once before the capture");
}

const double* count_on_device(Update* begin, Update* end) {
  Tensor& count = *begin->device_step;
  const Device device = begin->parameter.device();
  const bool shared_by_others = count.use_count() != static_cast<std::uint32_t>(end - begin);
  if (count.defined() && count.device() == device && !shared_by_others) {
    count.add_(1);
  } else {
    TERN_CHECK(
        !kernels::is_capturing(device), Error,
        "a captured step must have the same parameters with gradients as the step before the "
        "capture");
    const Tensor fresh = full({}, static_cast<double>(begin->step_number()),
                              TensorOptions().dtype(kDouble).device(device));
    for (Update* update = begin; update != end; ++update) *update->device_step = fresh;
  }
  return count.data_ptr<double>();
}

const double* capture_step(std::weak_ptr<Optimizer*> optimizer, std::size_t group,
                           const Update* begin, const Update* end) {
  const Optimizer& now = **optimizer.lock();
  const double lr_at_capture = now.param_groups().at(group).options().get_lr();
  const CapturedStates states(now, begin, end);
  const Device device = begin->parameter.device();
  kernels::GraphCapture& capture = *kernels::capture_on(device);
  capture.after_replay(device.index(), [optimizer, states] {
    if (const auto alive = optimizer.lock()) states.count_replay(**alive);
  });
  const auto lr_now = [optimizer = std::move(optimizer), group, lr = lr_at_capture,
                       states]() mutable {
    if (const auto alive = optimizer.lock()) {
      states.check(**alive);
      lr = (*alive)->param_groups().at(group).options().get_lr();
    }
    return lr;
  };
  return capture.graph_number(device.index(), lr_now);
}

}  // namespace tern::optim::detail
