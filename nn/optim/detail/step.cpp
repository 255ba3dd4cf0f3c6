#include <cstddef>
#include <utility>
#include <vector>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/base/profile_scope.h>
#include <tern/core/base/text.h>
#include <tern/core/kernels/backend.h>
#include <tern/nn/optim/detail/captured_step.h>
#include <tern/nn/optim/detail/step.h>

namespace tern::optim::detail {

/// The step of one parameter group.
class GroupStep {
 public:
  GroupStep(const FusedOptimizer& fused, Optimizer& optimizer, std::size_t index)
      : fused_(fused),
        optimizer_(optimizer),
        index_(index),
        options_(optimizer.param_groups()[index].options()) {
    fused_.set_rule(options_, args_);
    args_.lr = options_.get_lr();
    collect();
  }

  /// Returns the state of a parameter, a new one if it has none.
  static OptimizerParamState& state_of(Optimizer& optimizer, const Tensor& parameter) {
    return optimizer.state_of(parameter);
  }

  /// Steps the parameters. One kernel call takes consecutive parameters with the same dtype,
  /// device, step number and form.
  void run() {
    const unsigned form = args_.form;
    const Update* const last = updates_.data() + updates_.size();
    for (Update *begin = updates_.data(), *end = begin; begin != last; begin = end) {
      while (end != last && end - begin < kernels::kMaxOptimTensors && alike(*begin, *end)) ++end;
      args_.form = form | begin->form;
      run_batch(begin, end);
    }
  }

 private:
  void collect() {
    const std::vector<Tensor>& parameters = optimizer_.param_groups()[index_].params();
    updates_.reserve(parameters.size());
    for (const Tensor& parameter : parameters) {
      Tensor grad = parameter.grad();
      if (!grad.defined()) continue;
      Update& update = updates_.emplace_back(fused_.name, parameter, std::move(grad));
      if (args_.states == 0) continue;
      update.state = &optimizer_.state_of(parameter);
      double initial[kernels::kMaxOptimStates] = {};
      for (int k = 0; fused_.initial_value != nullptr && k < kernels::kMaxOptimStates; ++k) {
        initial[k] = fused_.initial_value(options_, k);
      }
      update.set_state(fused_.fields_of(*update.state), args_.states, initial);
    }
  }

  static bool alike(const Update& a, const Update& b) {
    return a.step_number() == b.step_number() && a.form == b.form && a.kept == b.kept &&
           same_kind(a.parameter, b.parameter) &&
           (a.device_step == nullptr || a.device_step->is_same(*b.device_step));
  }

  void run_batch(Update* begin, Update* end) {
    const Device device = begin->parameter.device();
    if (fused_.prepare != nullptr) fused_.prepare(options_, *begin->state, args_);
    args_.dtype = begin->parameter.dtype();
    args_.step = static_cast<double>(begin->step_number());
    args_.device_lr = args_.device_step = nullptr;
    if (device.is_cuda() && fused_.is_capturable != nullptr && fused_.is_capturable(options_)) {
      args_.device_step = count_on_device(begin, end);
    }
    const bool captured = kernels::is_capturing(device);
    if (captured) {
      args_.device_lr = capture_step(fused_, optimizer_.handle(), index_, begin, end);
    }
    args_.count = 0;
    for (const Update* update = begin; update != end; ++update) update->append_to(args_);
    kernels::run(fused_.name, device, args_.dtype, args_);
    for (Update* update = begin; update != end; ++update) {
      update->finish();
      if (!captured && update->step != nullptr) ++*update->step;
      if (fused_.advance != nullptr) fused_.advance(options_, *update->state);
    }
  }

  const FusedOptimizer& fused_;
  Optimizer& optimizer_;
  const std::size_t index_;
  const OptimizerOptions& options_;
  kernels::OptimArgs args_{};
  std::vector<Update> updates_;
};

namespace {

Tensor loss_of(const Optimizer::LossClosure& closure) {
  if (!closure) return {};
  const AutoGradMode enable_grad(true);
  return closure();
}

/// Records the range "Optimizer.step#Adam.step".
class ProfiledStep {
 public:
  explicit ProfiledStep(const char* name) {
    if (!tern::detail::is_profiled()) return;
    const std::string text = tern::detail::text_of("Optimizer.step#", name, ".step");
    scope_.begin_named(tern::detail::ProfileKind::kRange, text.data(), text.size());
  }

 private:
  tern::detail::ProfileScope scope_;
};

}  // namespace

Tensor fused_step(const FusedOptimizer& fused, Optimizer& optimizer,
                  const Optimizer::LossClosure& closure) {
  check_capturable(fused, optimizer);
  const ProfiledStep profile(fused.name);
  Tensor loss = loss_of(closure);
  const NoGradGuard no_grad;
  for (std::size_t i = 0; i < optimizer.param_groups().size(); ++i) {
    GroupStep(fused, optimizer, i).run();
  }
  return loss;
}

Tensor composed_step(const char* name, Optimizer& optimizer, const Optimizer::LossClosure& closure,
                     StepOfOne step) {
  const auto never = [](const OptimizerOptions&) { return false; };
  check_capturable({.name = name, .is_capturable = never}, optimizer);
  const ProfiledStep profile(name);
  Tensor loss = loss_of(closure);
  const NoGradGuard no_grad;
  for (const OptimizerParamGroup& group : optimizer.param_groups()) {
    for (const Tensor& parameter : group.params()) {
      if (!parameter.grad().defined()) continue;
      const Update checked(name, parameter, parameter.grad());
      step(group.options(), GroupStep::state_of(optimizer, parameter), parameter, checked.grad);
    }
  }
  return loss;
}

}  // namespace tern::optim::detail
