#include <tern/nn/detail/hooks.h>

#include <algorithm>

namespace tern::nn {

namespace {

/// Adds a hook at the end of a list, or at its beginning.
template <class Hook>
void add_hook(std::vector<Hook>& list, Hook hook, bool prepend) {
  list.insert(prepend ? list.begin() : list.end(), std::move(hook));
}

}  // namespace

std::shared_ptr<detail::Hooks> ModuleHooks::copy_hooks() const {
  return hooks_ ? std::make_shared<detail::Hooks>(*hooks_) : std::make_shared<detail::Hooks>();
}

unsigned ModuleHooks::register_forward_pre_hook(ForwardPreHook hook, const HookOptions& options) {
  const std::shared_ptr<detail::Hooks> hooks = copy_hooks();
  add_hook(hooks->before, {next_hook_, std::move(hook)}, options.prepend);
  hooks_ = hooks;
  return next_hook_++;
}

unsigned ModuleHooks::register_forward_hook(ForwardHook hook, const ForwardHookOptions& options) {
  const std::shared_ptr<detail::Hooks> hooks = copy_hooks();
  add_hook(hooks->after, {{next_hook_, std::move(hook)}, options.always_call}, options.prepend);
  hooks_ = hooks;
  return next_hook_++;
}

unsigned ModuleHooks::register_full_backward_hook(BackwardHook hook, const HookOptions& options) {
  const std::shared_ptr<detail::Hooks> hooks = copy_hooks();
  add_hook(hooks->backward, {next_hook_, std::move(hook)}, options.prepend);
  hooks_ = hooks;
  return next_hook_++;
}

unsigned ModuleHooks::register_full_backward_pre_hook(BackwardPreHook hook,
                                                      const HookOptions& options) {
  const std::shared_ptr<detail::Hooks> hooks = copy_hooks();
  add_hook(hooks->backward_before, {next_hook_, std::move(hook)}, options.prepend);
  hooks_ = hooks;
  return next_hook_++;
}

void ModuleHooks::remove_hook(unsigned number) {
  const std::shared_ptr<detail::Hooks> hooks = copy_hooks();
  const auto has_number = [number](const auto& hook) { return hook.number == number; };
  std::erase_if(hooks->before, has_number);
  std::erase_if(hooks->after, has_number);
  std::erase_if(hooks->backward_before, has_number);
  std::erase_if(hooks->backward, has_number);
  hooks_ = hooks->is_empty() ? nullptr : hooks;
}

bool ModuleHooks::has_forward_hooks() const noexcept {
  return hooks_ != nullptr && !(hooks_->before.empty() && hooks_->after.empty());
}

}  // namespace tern::nn
