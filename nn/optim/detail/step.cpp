#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/base/profile_scope.h>
#include <tern/core/base/text.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/device_traits.h>
#include <tern/nn/optim/detail/captured_step.h>
#include <tern/nn/optim/detail/step.h>

namespace tern::optim::detail {

/// The step of one parameter group.
class GroupStep {
 public:
  GroupStep(const StepRule& rule, Optimizer& optimizer, std::size_t index)
      : rule_(rule),
        optimizer_(optimizer),
        index_(index),
        options_(optimizer.param_groups()[index].options()) {
    if (rule_.set_rule != nullptr) {
      const RuleArguments options(options_);
      static_assert(sizeof(options.numbers) == sizeof(args_.numbers));
      std::memcpy(args_.numbers, options.numbers, sizeof(options.numbers));
      rule_.set_rule(args_, options.form | rule_.form);
      counts_on_device_ = rule_.uses_step && options.capturable;
    }
    args_.lr = options_.get_lr();
    collect();
  }

  /// Steps the parameters. One kernel call takes consecutive parameters with the same dtype,
  /// device, step number and form.
  void run() {
    const unsigned form = args_.form;
    const Update* const last = updates_.data() + updates_.size();
    for (Update *begin = updates_.data(), *end = begin; begin != last; begin = end) {
      if (rule_.step_one != nullptr) {
        rule_.step_one(options_, *begin->state, begin->parameter, begin->grad);
        ++end;
        continue;
      }
      while (end != last && end - begin < kernels::kMaxOptimTensors && alike(*begin, *end)) ++end;
      args_.form = form | begin->form;
      run_batch(begin, end);
    }
  }

 private:
  void collect() {
    const std::vector<Tensor>& parameters = optimizer_.param_groups()[index_].params();
    updates_.reserve(parameters.size());
    double initial[kernels::kMaxOptimStates] = {};
    for (int k = 0; rule_.initial_value != nullptr && k < kernels::kMaxOptimStates; ++k) {
      initial[k] = rule_.initial_value(options_, k);
    }
    for (const Tensor& parameter : parameters) {
      Tensor grad = parameter.grad();
      if (!grad.defined()) continue;
      Update& update = updates_.emplace_back(rule_.name, parameter, std::move(grad));
      if (rule_.set_rule != nullptr && args_.states == 0) continue;
      update.state = &optimizer_.state_of(parameter);
      if (rule_.set_rule == nullptr) continue;
      const StateFields fields(*update.state);
      update.form = fields.tensors[0]->defined() ? 0 : rule_.first;
      update.set_state(rule_.name, fields, args_.states, initial);
    }
  }

  static bool alike(const Update& a, const Update& b) {
    return a.step_number() == b.step_number() && a.form == b.form && a.floats == b.floats &&
           same_kind(a.parameter, b.parameter) &&
           (a.device_step == nullptr || a.device_step->is_same(*b.device_step));
  }

  void run_batch(Update* begin, Update* end) {
    const Device device = begin->parameter.device();
    if (rule_.prepare != nullptr) rule_.prepare(options_, *begin->state, args_);
    args_.dtype = begin->parameter.dtype();
    args_.step = static_cast<double>(begin->step_number());
    args_.device_lr = args_.device_step = nullptr;
    if (counts_on_device_ && kernels::traits_of(device).captures_graphs) {
      args_.device_step = count_on_device(begin, end);
    }
    const bool captured = kernels::is_capturing(device);
    if (captured) args_.device_lr = capture_step(optimizer_.handle(), index_, begin, end);
    args_.count = 0;
    for (const Update* update = begin; update != end; ++update) update->append_to(args_);
    kernels::run(rule_.name, device, args_.dtype, args_);
    for (Update* update = begin; update != end; ++update) {
      update->finish();
      if (!captured && update->step != nullptr) ++*update->step;
      if (rule_.advance != nullptr) rule_.advance(options_, *update->state);
    }
  }

  const StepRule& rule_;
  Optimizer& optimizer_;
  const std::size_t index_;
  const OptimizerOptions& options_;
  bool counts_on_device_ = false;
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

Tensor take_step(const StepRule& rule, Optimizer& optimizer,
                 const Optimizer::LossClosure& closure) {
  check_capturable(rule, optimizer);
  const ProfiledStep profile(rule.name);
  Tensor loss = loss_of(closure);
  const NoGradGuard no_grad;
  for (std::size_t i = 0; i < optimizer.param_groups().size(); ++i) {
    GroupStep(rule, optimizer, i).run();
  }
  return loss;
}

}  // namespace tern::optim::detail
