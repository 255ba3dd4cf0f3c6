#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <tern/core/tensor/tensor.h>
#include <tern/nn/module/any_value.h>
#include <tern/nn/module/hooks.h>

namespace tern::nn::detail {

class BackwardCall;

/// What surrounds forward in a module that has hooks or parametrized tensors. The destructor
/// takes parametrized tensors out of the module and, after an error, runs the hooks that asked for
/// it. The module lives as long as its call, even if a hook replaces it.
class TERN_API CallScope {
 public:
  /// Any number of inputs may come from the hooks.
  static constexpr std::size_t kAnyNumber = ~std::size_t{0};

  /// Prepares a call. `inputs` is null if hooks cannot see the inputs.
  explicit CallScope(Module& module, std::vector<AnyValue>* inputs = nullptr);
  ~CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

  /// Runs what comes before forward. Throws Error if the hooks leave another number of inputs than
  /// `count`.
  void start(std::size_t count = kAnyNumber);
  /// Runs what comes after forward.
  void finish(AnyValue& output);

 private:
  std::shared_ptr<Module> owner_;  // null if no shared_ptr owns the module
  Module& module_;
  std::vector<AnyValue>* inputs_;
  std::shared_ptr<const Hooks> hooks_;
  std::shared_ptr<BackwardCall> backward_;
  std::vector<Tensor> outer_;  // what parametrized members hold outside of this call
  std::size_t next_hook_ = 0;  // the first forward hook that did not run
  bool is_finished_ = false;   // nothing threw
};

}  // namespace tern::nn::detail
