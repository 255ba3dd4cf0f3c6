#include <tern/core/autograd/detail/accumulate_hook.h>

#include <algorithm>
#include <utility>

#include <tern/core/autograd/detail/meta.h>
#include <tern/core/autograd/detail/pass_end.h>
#include <tern/core/base/error.h>

namespace tern::autograd {

unsigned add_accumulate_hook(const Tensor& leaf, std::function<void(Tensor& grad)> hook) {
  TERN_CHECK(leaf.requires_grad() && leaf.is_leaf(), Error,
             "add_accumulate_hook: needs a leaf that requires a gradient");
  GradSlot& slot = *meta_of(leaf.self())->slot;
  if (!slot.hooks) slot.hooks = std::make_unique<AccumulateHooks>();
  slot.hooks->push_back(std::move(hook));
  return static_cast<unsigned>(slot.hooks->size() - 1);
}

void remove_accumulate_hook(const Tensor& leaf, unsigned number) {
  const Meta* const meta = meta_of(leaf.self());
  TERN_CHECK(
      meta != nullptr && meta->slot && meta->slot->hooks && number < meta->slot->hooks->size(),
      Error, "remove_accumulate_hook: no hook at position ", number);
  (*meta->slot->hooks)[number] = nullptr;  // the others keep their numbers
}

bool has_accumulate_hook(const Tensor& leaf) {
  const Meta* const meta = meta_of(leaf.self());
  if (meta == nullptr || !meta->slot || !meta->slot->hooks) return false;
  const AccumulateHooks& hooks = *meta->slot->hooks;
  return std::any_of(hooks.begin(), hooks.end(), [](const auto& hook) { return bool(hook); });
}

void run_accumulate_hooks(GradSlot& slot) {
  const AccumulateHooks hooks = *slot.hooks;  // a hook may add or remove hooks
  for (const auto& hook : hooks) {
    if (hook) hook(slot.grad);
  }
}

namespace {
thread_local PassEnd* outermost = nullptr;
}  // namespace

PassEnd::PassEnd() : is_outermost_(outermost == nullptr) {
  if (is_outermost_) outermost = this;
}

PassEnd::~PassEnd() {
  if (!is_outermost_) return;
  outermost = nullptr;
  for (const auto& callback : std::exchange(callbacks_, {})) {
    try {
      callback(false);
    } catch (...) {  // NOLINT(bugprone-empty-catch): the first error is on its way
    }
  }
}

void PassEnd::complete() {
  if (!is_outermost_) return;
  while (!callbacks_.empty()) {
    const auto callback = std::move(callbacks_.front());
    callbacks_.erase(callbacks_.begin());
    callback(true);
  }
}

bool is_in_backward() { return outermost != nullptr; }

void at_end_of_backward(std::function<void(bool is_complete)> callback) {
  TERN_CHECK(outermost != nullptr, Error, "at_end_of_backward: no backward() runs on this thread");
  outermost->callbacks_.push_back(std::move(callback));
}

}  // namespace tern::autograd
