#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <tern/nn/containers/functional_module.h>
#include <tern/nn/module/any_value.h>
#include <tern/nn/module_holder.h>

namespace tern::nn {

namespace detail {

using AnyInputs = std::vector<AnyValue>;
/// Calls the forward of a module of a class that is known to the function.
using AnyForward = AnyValue (*)(Module& module, AnyInputs& inputs);

/// Calls a module with its hooks on values of exactly the types of its forward, and consumes them.
TERN_API AnyValue call_any(Module& module, AnyForward forward, AnyInputs&& inputs);
[[noreturn]] TERN_API void unknown_forward_error(const Module* module);

/// Reads the values of TERN_FORWARD_HAS_DEFAULT_ARGS.
struct ForwardDefaults {
  /// Returns how many of `count` arguments have no default.
  template <class M>
  static std::size_t required(std::size_t count) {
    if constexpr (requires { M::forward_defaults(); }) {
      for (const auto& argument : M::forward_defaults()) {
        if (argument.first < count) count = argument.first;
      }
    }
    return count;
  }
  template <class M>
  static void fill(AnyInputs& inputs) {
    if constexpr (requires { M::forward_defaults(); }) {
      for (auto& [index, value] : M::forward_defaults()) {
        if (index == inputs.size()) inputs.push_back(std::move(value));
      }
    }
  }
};

[[noreturn]] TERN_API void argument_count_error(const Module& module, std::size_t least,
                                                std::size_t most, std::size_t received);
[[noreturn]] TERN_API void argument_type_error(std::size_t index, const std::type_info& expected,
                                               const std::type_info& received);
[[noreturn]] TERN_API void return_type_error(const std::type_info& actual,
                                             const std::type_info& asked);

template <class T>
T& argument(AnyInputs& inputs, std::size_t index) {
  if (T* value = inputs[index].try_get<T>()) return *value;
  argument_type_error(index, typeid(T), inputs[index].type_info());
}

/// Calls M::forward(Args...) with the values of `inputs` and may consume them, so that forward can
/// reuse a temporary tensor that nobody else holds.
template <class M, class Result, class... Args>
struct ForwardCall {
  /// False if a value cannot be stored in an AnyValue.
  static constexpr bool kIsPossible =
      (std::is_void_v<Result> || std::is_copy_constructible_v<std::decay_t<Result>>)&&(
          std::is_copy_constructible_v<std::decay_t<Args>> && ...);

  static AnyValue run(Module& module, AnyInputs& inputs) {
    const std::size_t received = inputs.size();
    ForwardDefaults::fill<M>(inputs);
    if (inputs.size() != sizeof...(Args)) {
      argument_count_error(module, ForwardDefaults::required<M>(sizeof...(Args)), sizeof...(Args),
                           received);
    }
    return run(static_cast<M&>(module), inputs, std::index_sequence_for<Args...>());
  }

 private:
  template <std::size_t... I>
  static AnyValue run(M& module, AnyInputs& inputs, std::index_sequence<I...>) {
    if constexpr (std::is_void_v<Result>) {
      module.forward(std::forward<Args>(argument<std::decay_t<Args>>(inputs, I))...);
      return AnyValue();
    } else {
      return AnyValue(
          module.forward(std::forward<Args>(argument<std::decay_t<Args>>(inputs, I))...));
    }
  }
};

/// Deduces the ForwardCall of a module from the type of its forward.
template <class M, class Forward>
struct ForwardCallOf;
template <class M, class C, class R, class... A>
struct ForwardCallOf<M, R (C::*)(A...)> : ForwardCall<M, R, A...> {};
template <class M, class C, class R, class... A>
struct ForwardCallOf<M, R (C::*)(A...) const> : ForwardCall<M, R, A...> {};

/// True for a module with one forward().
template <class M>
concept HasOneForward = requires {
  &M::forward;
};
/// True for a module with a forward() that maps a Tensor to a Tensor, also if forward() is a
/// template (Sequential) or overloaded.
template <class M>
concept MapsTensor = requires(M& module, Tensor tensor) {
  Tensor(module.forward(tensor));
};

/// Returns the function that calls the forward of a class, or null if it has none that fits.
template <class M>
constexpr AnyForward any_forward_of() {
  if constexpr (HasOneForward<M>) {
    if constexpr (requires { requires ForwardCallOf<M, decltype(&M::forward)>::kIsPossible; }) {
      return ForwardCallOf<M, decltype(&M::forward)>::run;
    }
  } else if constexpr (MapsTensor<M>) {
    return ForwardCall<M, Tensor, Tensor>::run;
  }
  return nullptr;
}

}  // namespace detail

/// A module in a container: a shared pointer that can also be called, with the module's hooks.
/// Types of arguments and results are checked when the module is called: arguments must have
/// exactly the types of forward's parameters.
///
/// To replace a module in its container, use set() of ModuleList and Sequential, and insert() of
/// ModuleDict.
///
/// Example:
///   Tensor y = heads["class"](x);
///   auto [output, state] = layers[1].forward<std::tuple<Tensor, Tensor>>(x);
class ContainedModule : public std::shared_ptr<Module> {
 public:
  /// Holds no module.
  ContainedModule() = default;
  /// Holds a module: a shared pointer, a holder, a module by value, or a function that maps a
  /// Tensor to a Tensor. A pointer to Module does not say the type of forward, so the module cannot
  /// be called.
  template <detail::ModuleLike M>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): not of ContainedModule.
  requires(!std::is_base_of_v<ContainedModule, std::remove_cvref_t<M>>) ContainedModule(M&& module)
      : std::shared_ptr<Module>(detail::module_ptr(std::forward<M>(module))),
        forward_(
            detail::any_forward_of<typename detail::HeldModule<std::remove_cvref_t<M>>::type>()) {}
  /// Holds a module that `call` can call; null: nothing can.
  ContainedModule(std::shared_ptr<Module> module, detail::AnyForward call)
      : std::shared_ptr<Module>(std::move(module)), forward_(call) {}

  /// Makes another pointer to the same module.
  ContainedModule(const ContainedModule&) = default;
  /// Takes over the pointer.
  ContainedModule(ContainedModule&&) = default;
  /// Points to the module of another.
  ContainedModule& operator=(const ContainedModule&) = default;
  /// Takes over the pointer.
  ContainedModule& operator=(ContainedModule&&) = default;
  ~ContainedModule() = default;
  /// Holds another module; see the constructor.
  template <detail::ModuleLike M>
  requires(!std::is_base_of_v<ContainedModule, std::remove_cvref_t<M>>) ContainedModule& operator=(
      M&& module) {
    return *this = ContainedModule(std::forward<M>(module));
  }
  // Rejects an assignment to the module of a container.
  template <class M>
  void operator=(const M&) const {  // NOLINT(misc-unconventional-assign-operator): never called
    static_assert(sizeof(M) == 0,
                  "The module of a container is replaced by a function: list->set(0, module) for "
                  "ModuleList and Sequential, dict->insert(\"key\", module) for ModuleDict.");
  }

  /// Calls the module and returns the result as R. Throws Error if number or types of the arguments
  /// are wrong, if the result has another type, and if the type of forward is not known.
  template <class R = Tensor, class... Args>
  R forward(Args&&... args) const {
    check_callable();
    detail::AnyInputs inputs;
    inputs.reserve(sizeof...(Args));
    (inputs.emplace_back(std::forward<Args>(args)), ...);
    AnyValue result = detail::call_any(**this, forward_, std::move(inputs));
    if (R* value = result.try_get<R>()) return std::move(*value);
    detail::return_type_error(result.type_info(), typeid(R));
  }
  /// Calls a module that returns a tensor; see forward().
  template <class... Args>
  Tensor operator()(Args&&... args) const {
    return forward(std::forward<Args>(args)...);
  }
  /// Throws Error if there is no module, or the type of its forward is not known.
  void check_callable() const {
    if (forward_ == nullptr || *this == nullptr) detail::unknown_forward_error(get());
  }
  /// Returns the function that calls forward, or null.
  detail::AnyForward any_forward() const noexcept { return forward_; }

 private:
  detail::AnyForward forward_ = nullptr;
};

}  // namespace tern::nn
