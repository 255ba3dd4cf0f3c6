#pragma once

#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <tern/core/base/profile_scope.h>
#include <tern/core/base/running_module.h>
#include <tern/nn/module.h>
#include <tern/nn/module/any_value.h>
#include <tern/nn/module/call_scope.h>

// The code around a module's forward: it keeps the module's name ready for error texts and runs the
// hooks, and computes parametrized tensors.

namespace tern::nn::detail {

/// Describes the running module in error texts.
TERN_API extern const tern::detail::ModuleDescriber module_describer;

/// Makes `module` the innermost running module of the thread for this scope.
class RunningScope {
 public:
  explicit RunningScope(const Module& module)
      : slot_(tern::detail::running_module()), frame_{&module, &module_describer, slot_} {
    slot_ = &frame_;
    if (tern::detail::is_profiled()) [[unlikely]]
      profile_.begin_module(frame_);
  }
  ~RunningScope() { slot_ = frame_.outer; }
  RunningScope(const RunningScope&) = delete;
  RunningScope& operator=(const RunningScope&) = delete;

 private:
  const tern::detail::RunningModule*& slot_;
  tern::detail::RunningModule frame_;
  tern::detail::ProfileScope profile_;
};

template <class M, class... Args, std::size_t... I>
auto call_with_hooks(M& module, std::index_sequence<I...>, Args&&... args)
    -> decltype(module.forward(std::forward<Args>(args)...)) {
  using Result = decltype(module.forward(std::forward<Args>(args)...));
  std::vector<AnyValue> inputs;
  inputs.reserve(sizeof...(Args));
  (inputs.emplace_back(std::forward<Args>(args)), ...);
  CallScope scope(module, &inputs);
  scope.start(sizeof...(Args));
  const auto forward = [&]() -> Result {
    return module.forward(inputs[I].template get<std::decay_t<Args>>()...);
  };
  AnyValue output;
  if constexpr (std::is_void_v<Result>) {
    forward();
    scope.finish(output);
  } else if constexpr (std::is_reference_v<Result>) {
    Result result = forward();
    output = AnyValue(result);  // hooks see a copy of a result that is a reference
    scope.finish(output);
    return static_cast<Result>(result);
  } else {
    output = AnyValue(forward());
    scope.finish(output);
    return std::move(output.get<Result>());
  }
}

/// Calls module.forward(args...) with hooks and with the module's name in errors.
template <class M, class... Args>
auto call(M& module, Args&&... args) -> decltype(module.forward(std::forward<Args>(args)...)) {
  const RunningScope scope(module);
  module.check_members();
  if (module.needs_call_scope()) [[unlikely]] {
    if constexpr ((std::is_copy_constructible_v<std::decay_t<Args>> && ...)) {
      return call_with_hooks(module, std::index_sequence_for<Args...>(),
                             std::forward<Args>(args)...);
    } else {
      CallScope parametrized(module);
      parametrized.start();
      return module.forward(std::forward<Args>(args)...);
    }
  }
  return module.forward(std::forward<Args>(args)...);
}

}  // namespace tern::nn::detail
