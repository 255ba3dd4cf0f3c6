#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <tern/core/tensor/tensor.h>
#include <tern/nn/module/any_value.h>

namespace tern::nn {

class Module;

namespace detail {
struct Hooks;
}  // namespace detail

/// Options of the functions that add a hook.
struct HookOptions {
  /// True: the hook runs before the hooks that the module has, not after them.
  bool prepend = false;
};

/// Options of register_forward_hook().
struct ForwardHookOptions {
  /// True: the hook runs before the hooks that the module has, not after them.
  bool prepend = false;
  /// True: the hook also runs, with an empty output, if forward or another hook throws. Its own
  /// errors are then ignored, and the first error is thrown.
  bool always_call = false;
};

/// The hooks of a module: functions that run around its forward, and when gradients pass through
/// it. Base class of Module.
///
/// Hooks run if the module is called through its holder, by Sequential or by AnyModule, not in a
/// plain forward(). A module without hooks pays nothing for them. The functions that add a hook
/// return a number for remove_hook(). A running hook may add and remove hooks: pre-hooks from the
/// next call on, forward hooks already in this call if forward has not returned.
class TERN_API ModuleHooks {
 public:
  /// Gradients of the inputs or outputs of a module, in their order. An input or output that is no
  /// tensor or has no gradient has an undefined tensor.
  using Gradients = std::vector<Tensor>;
  /// A function that is called before forward and may change the inputs.
  using ForwardPreHook = std::function<void(Module& module, std::vector<AnyValue>& inputs)>;
  /// A function that is called after forward and may change the output.
  using ForwardHook =
      std::function<void(Module& module, const std::vector<AnyValue>& inputs, AnyValue& output)>;
  /// A function that is called when the gradients of the outputs are known. A result replaces them.
  using BackwardPreHook =
      std::function<std::optional<Gradients>(Module& module, const Gradients& grad_outputs)>;
  /// A function that is called when the gradients of the inputs are known. A result replaces them.
  using BackwardHook = std::function<std::optional<Gradients>(
      Module& module, const Gradients& grad_inputs, const Gradients& grad_outputs)>;

  /// Adds a function that runs before forward.
  unsigned register_forward_pre_hook(ForwardPreHook hook, const HookOptions& options = {});
  /// Adds a function that runs after forward.
  unsigned register_forward_hook(ForwardHook hook, const ForwardHookOptions& options = {});
  /// Adds a function that runs in backward, each time the gradients of the module's inputs are
  /// computed. It may return other gradients for the inputs. If no input requires a gradient, it
  /// runs when the gradients of the outputs are computed, and must not return any.
  ///
  /// Inputs and outputs of the module get a node of their own in the graph, so they must not be
  /// changed in place. Backward throws Error if the number of returned gradients is wrong; the call
  /// of the module throws Error unless its output is a tensor, or a vector, pair or tuple of
  /// tensors. Hooks of a module that was freed before backward do not run.
  ///
  /// Example:
  ///   net->register_full_backward_hook([](nn::Module& module, const std::vector<Tensor>&
  ///   grad_inputs,
  ///                                       const std::vector<Tensor>& grad_outputs) {
  ///     std::cout << module.name() << ": " << grad_outputs[0].norm().item<float>() << '\n';
  ///   });
  unsigned register_full_backward_hook(BackwardHook hook, const HookOptions& options = {});
  /// Adds a hook that returns nothing and so leaves the gradients as they are.
  template <class Fn>
  requires std::is_void_v<std::invoke_result_t<Fn&, Module&, const Gradients&, const Gradients&>>
  unsigned register_full_backward_hook(Fn hook, const HookOptions& options = {}) {
    return register_full_backward_hook(
        BackwardHook([hook = std::move(hook)](
                         Module& module, const Gradients& grad_inputs,
                         const Gradients& grad_outputs) mutable -> std::optional<Gradients> {
          hook(module, grad_inputs, grad_outputs);
          return std::nullopt;
        }),
        options);
  }
  /// Adds a function that runs in backward, each time the gradients of the module's outputs are
  /// computed and before they pass through the module. It may return other gradients for the
  /// outputs. See register_full_backward_hook().
  unsigned register_full_backward_pre_hook(BackwardPreHook hook, const HookOptions& options = {});
  /// Adds a hook that returns nothing and so leaves the gradients as they are.
  template <class Fn>
  requires std::is_void_v<std::invoke_result_t<Fn&, Module&, const Gradients&>>
  unsigned register_full_backward_pre_hook(Fn hook, const HookOptions& options = {}) {
    return register_full_backward_pre_hook(
        BackwardPreHook(
            [hook = std::move(hook)](
                Module& module, const Gradients& grad_outputs) mutable -> std::optional<Gradients> {
              hook(module, grad_outputs);
              return std::nullopt;
            }),
        options);
  }
  /// Removes the hook with this number, of any kind.
  void remove_hook(unsigned number);
  /// Returns true if the module has a hook that runs before or after forward.
  bool has_forward_hooks() const noexcept;

  /// Returns true if a call of the module must do more than run forward: run hooks, or compute
  /// parametrized tensors.
  bool needs_call_scope() const noexcept { return hooks_ != nullptr || is_parametrized_; }

 protected:
  ModuleHooks() = default;
  ~ModuleHooks() = default;
  /// Copies the hooks, which both modules then have. The copy is not parametrized.
  ModuleHooks(const ModuleHooks& other) : hooks_(other.hooks_), next_hook_(other.next_hook_) {}
  /// Copies the hooks, which both modules then have. This module is then not parametrized.
  ModuleHooks& operator=(const ModuleHooks& other) {
    if (this == &other) return *this;
    hooks_ = other.hooks_;
    next_hook_ = other.next_hook_;
    is_parametrized_ = false;
    return *this;
  }

  /// The hooks; null without any. Replaced, never changed: a running hook may remove itself.
  std::shared_ptr<const detail::Hooks> hooks_;
  /// True if a bound member is computed before each forward.
  bool is_parametrized_ = false;

 private:
  std::shared_ptr<detail::Hooks> copy_hooks() const;

  unsigned next_hook_ = 0;
};

}  // namespace tern::nn
