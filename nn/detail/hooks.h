#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <tern/nn/module/hooks.h>

namespace tern::nn::detail {

/// A hook with the number for remove_hook().
template <class Function>
struct Hook {
  unsigned number;
  Function function;
};

/// A forward hook, which may ask to run after errors, too.
struct ForwardHook : Hook<ModuleHooks::ForwardHook> {
  bool always_call = false;
};

/// All hooks of a module, in the order in which they run.
struct Hooks {
  std::vector<Hook<ModuleHooks::ForwardPreHook>> before;
  std::vector<ForwardHook> after;
  std::vector<Hook<ModuleHooks::BackwardPreHook>> backward_before;
  std::vector<Hook<ModuleHooks::BackwardHook>> backward;

  bool has_backward() const { return !backward.empty() || !backward_before.empty(); }
  bool is_empty() const { return before.empty() && after.empty() && !has_backward(); }
};

/// Appends the tensors of an output in their order, null for what is no tensor. Returns false if
/// the output is neither a tensor nor a vector, pair or tuple of tensors.
bool output_tensors(AnyValue& output, std::vector<Tensor*>& tensors);

/// One call of a module with backward hooks. The graph keeps it alive.
class BackwardCall;

/// Gives the tensors among the inputs a node that runs the backward hooks. Returns null if there
/// is nothing to run: no backward hooks, or gradients are off.
std::shared_ptr<BackwardCall> start_backward_call(Module& module,
                                                  const std::shared_ptr<const Hooks>& hooks,
                                                  std::vector<AnyValue>& inputs);
/// Gives the tensors of the output a node that runs the backward pre-hooks.
void finish_backward_call(const std::shared_ptr<BackwardCall>& call, AnyValue& output);

}  // namespace tern::nn::detail
