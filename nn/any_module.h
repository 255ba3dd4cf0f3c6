#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include <tern/nn/containers/functional_module.h>
#include <tern/nn/module/any_value.h>
#include <tern/nn/module_holder.h>

namespace tern::nn {

class SequentialImpl;

/// Declares the default arguments of a forward that AnyModule or Sequential calls: one {index,
/// value} per argument that may be left out. Put it into the protected part of the class body.
///
/// Example:
///   TERN_FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(2.0)}, {2, AnyValue(true)})
#define TERN_FORWARD_HAS_DEFAULT_ARGS(...)                                           \
  friend struct ::tern::nn::detail::ForwardDefaults;                                 \
  static std::vector<std::pair<unsigned, ::tern::nn::AnyValue>> forward_defaults() { \
    return {__VA_ARGS__};                                                            \
  }

namespace detail {

using AnyInputs = std::vector<AnyValue>;

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
[[noreturn]] TERN_API void module_cast_error(const std::type_info& from, const std::type_info& to);

template <class T>
T& argument(AnyInputs& inputs, std::size_t index) {
  if (T* value = inputs[index].try_get<T>()) return *value;
  argument_type_error(index, typeid(T), inputs[index].type_info());
}

/// Calls M::forward(Args...) with the values of `inputs` and may consume them, so that forward can
/// reuse a temporary tensor that nobody else holds.
template <class M, class Result, class... Args>
struct ForwardCall {
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

template <class M>
AnyValue any_forward(Module& module, AnyInputs& inputs) {
  if constexpr (requires { &M::forward; }) {
    return ForwardCallOf<M, decltype(&M::forward)>::run(module, inputs);
  } else {
    // forward is a template (Sequential) or overloaded. It fits if it maps a Tensor to a Tensor.
    static_assert(
        requires(M & m, Tensor t) { Tensor(m.forward(t)); },
        "A module in a Sequential or an AnyModule needs one forward(), or one that maps a "
        "Tensor to a Tensor. ModuleList and ModuleDict have none: hold them in a module of your "
        "own, whose forward() calls what they hold.");
    return ForwardCall<M, Tensor, Tensor>::run(module, inputs);
  }
}

}  // namespace detail

/// Holds a module of any type. Types of arguments and results are checked when the module is
/// called. Copies share the module.
///
/// Example:
///   nn::AnyModule any(nn::Linear(2, 1));
///   Tensor y = any.forward(x);
///   auto n = any.get<nn::Linear>()->options.in_features();
class TERN_API AnyModule {
  template <class T>
  static constexpr bool kIsModule = std::is_base_of_v<Module, std::remove_cvref_t<T>>;

 public:
  /// Makes an empty AnyModule. Using it throws Error.
  AnyModule() = default;
  /// Holds a module: a shared pointer, a holder, a module by value, or a function that maps a
  /// Tensor to a Tensor.
  template <detail::ModuleLike M>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): no AnyModule is ModuleLike.
  explicit AnyModule(M&& module) {
    using Held = typename detail::HeldModule<std::remove_cvref_t<M>>::type;
    module_ = detail::module_ptr(std::forward<M>(module));
    forward_ = detail::any_forward<Held>;
    type_ = &typeid(Held);
  }

  /// Holds another module; see the constructor.
  template <detail::ModuleLike M>
  AnyModule& operator=(M&& module) {
    return *this = AnyModule(std::forward<M>(module));
  }

  /// Calls the module, with its hooks, on values of exactly the types of its forward, and consumes
  /// them. Throws Error if their number or types are wrong.
  AnyValue call(std::vector<AnyValue>&& inputs) const;
  /// Calls the module, with its hooks. Throws Error if number or types of the arguments are wrong.
  template <class... Args>
  AnyValue any_forward(Args&&... args) const {
    std::vector<AnyValue> inputs;
    inputs.reserve(sizeof...(Args));
    (inputs.emplace_back(std::forward<Args>(args)), ...);
    return call(std::move(inputs));
  }
  /// Calls the module and returns the result as R. Throws Error if the arguments are wrong or the
  /// result has another type.
  template <class R = Tensor, class... Args>
  R forward(Args&&... args) const {
    AnyValue result = any_forward(std::forward<Args>(args)...);
    if (R* value = result.try_get<R>()) return std::move(*value);
    detail::return_type_error(result.type_info(), typeid(R));
  }

  /// Returns the module as M. Throws Error if the module has another type or is missing.
  template <class M>
  requires kIsModule<M> M& get() const { return *cast<M>("get"); }
  /// Returns the module in a holder of type H. Throws Error if the module has another type or is
  /// missing.
  template <class H>
  requires(!kIsModule<H>) H get()
  const { return H(cast<typename H::ContainedType>("get")); }
  /// Returns the shared pointer, as a Module or as M. Throws Error if the module has another type
  /// or is missing.
  const std::shared_ptr<Module>& ptr() const {
    check_not_empty("ptr");
    return module_;
  }
  template <class M>
  std::shared_ptr<M> ptr() const {
    return cast<M>("ptr");
  }
  /// Returns the type of the module. Throws Error if there is none.
  const std::type_info& type_info() const {
    check_not_empty("type_info");
    return *type_;
  }
  /// Returns true when there is no module.
  bool is_empty() const noexcept { return module_ == nullptr; }
  /// Returns an AnyModule of a deep copy, optionally on another device.
  AnyModule clone(const std::optional<Device>& device = std::nullopt) const;

 private:
  friend class SequentialImpl;  // replaces the module by a copy

  void check_not_empty(const char* function) const;
  template <class M>
  std::shared_ptr<M> cast(const char* function) const {
    check_not_empty(function);
    auto result = std::dynamic_pointer_cast<M>(module_);
    if (!result) detail::module_cast_error(*type_, typeid(M));
    return result;
  }

  std::shared_ptr<Module> module_;
  AnyValue (*forward_)(Module&, detail::AnyInputs&) = nullptr;
  const std::type_info* type_ = nullptr;
};

/// An AnyModule with its name in a container: {"fc1", nn::Linear(2, 3)}.
class NamedAnyModule {
 public:
  /// Names a module: a shared pointer, a holder, or a module by value.
  template <class M>
  NamedAnyModule(std::string name, M&& module)
      : NamedAnyModule(std::move(name), AnyModule(std::forward<M>(module))) {}
  /// Names a module.
  NamedAnyModule(std::string name, AnyModule module)
      : name_(std::move(name)), module_(std::move(module)) {}

  /// Returns the name.
  const std::string& name() const noexcept { return name_; }
  /// Returns the module.
  AnyModule& module() noexcept { return module_; }
  const AnyModule& module() const noexcept { return module_; }

 private:
  std::string name_;
  AnyModule module_;
};

}  // namespace tern::nn
