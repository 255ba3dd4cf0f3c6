#include <tern/nn/module/call_scope.h>

#include <algorithm>

#include <tern/nn/detail/hooks.h>
#include <tern/nn/detail/parametrized.h>
#include <tern/nn/module.h>

namespace tern::nn::detail {

CallScope::CallScope(Module& module, std::vector<AnyValue>* inputs)
    : owner_(module.weak_from_this().lock()), module_(module), inputs_(inputs) {
  if (inputs != nullptr) hooks_ = ParametrizedMembers::hooks(module);
}

CallScope::~CallScope() {
  ParametrizedMembers::unbind(module_, outer_);
  if (is_finished_ || hooks_ == nullptr) return;
  const auto has_run = [this](const ForwardHook& hook) {
    const auto end = hooks_->after.begin() + static_cast<std::ptrdiff_t>(next_hook_);
    return std::any_of(hooks_->after.begin(), end,
                       [&](const ForwardHook& other) { return other.number == hook.number; });
  };
  const std::shared_ptr<const Hooks> now = ParametrizedMembers::hooks(module_);
  if (now == nullptr) return;
  for (const ForwardHook& hook : now->after) {
    if (!hook.always_call || has_run(hook)) continue;
    try {
      AnyValue none;
      hook.function(module_, *inputs_, none);
    } catch (...) {
      // The first error is on its way to the caller.
    }
  }
}

void CallScope::start(std::size_t count) {
  if (hooks_ != nullptr) {
    for (const auto& hook : hooks_->before) hook.function(module_, *inputs_);
    TERN_CHECK(count == kAnyNumber || inputs_->size() == count, Error, module_.name(),
               "'s forward() takes ", count, " inputs, but its forward pre-hooks returned ",
               inputs_->size());
    backward_ = start_backward_call(module_, hooks_, *inputs_);
  }
  ParametrizedMembers::bind(module_, outer_);
}

void CallScope::finish(AnyValue& output) {
  if (hooks_ != nullptr) {
    // As in PyTorch, a hook that forward added runs, and one that forward removed does not.
    hooks_ = ParametrizedMembers::hooks(module_);
    while (hooks_ != nullptr && next_hook_ < hooks_->after.size()) {
      const ForwardHook& hook = hooks_->after[next_hook_++];
      hook.function(module_, *inputs_, output);
    }
    finish_backward_call(backward_, output);
  }
  is_finished_ = true;
}

}  // namespace tern::nn::detail
