#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include <tern/nn/containers/contained_module.h>
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

[[noreturn]] TERN_API void module_cast_error(const std::type_info& from, const std::type_info& to);

/// Returns the function that calls the forward of a class.
template <class M>
constexpr AnyForward required_forward_of() {
  static_assert(HasOneForward<M> || MapsTensor<M>,
                "A module in a Sequential or an AnyModule needs one forward(), or one that maps a "
                "Tensor to a Tensor. ModuleList and ModuleDict have none: hold them in a module of "
                "your own, whose forward() calls what they hold.");
  if constexpr (HasOneForward<M>) return ForwardCallOf<M, decltype(&M::forward)>::run;
  return any_forward_of<M>();
}

}  // namespace detail

/// Holds a module of any type. Types of arguments and results are checked when the module is
/// called. Copies share the module.
///
/// Example:
///   nn::AnyModule any(nn::Linear(2, 1));
///   Tensor y = any.forward(x);
///   auto n = any.get<nn::Linear>()->options.in_features();
class TERN_API AnyModule : public detail::MemberLink {
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
    using T = std::remove_cvref_t<M>;
    using Held = typename detail::HeldModule<T>::type;
    type_ = &typeid(Held);
    if constexpr (detail::kIsRegistered<T>) take(module, kAccess);
    if constexpr (std::is_same_v<T, ContainedModule>) {
      module_ = std::forward<M>(module);
      module_.check_callable();
      const Module& held = *module_;
      type_ = &typeid(held);
    } else {
      module_ = {detail::module_ptr(std::forward<M>(module)), detail::required_forward_of<Held>()};
    }
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
    return std::move(result.get<R>());
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
  const ContainedModule& ptr() const {
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

  static const Module* module_of(const detail::MemberLink& link) {
    return static_cast<const AnyModule&>(link).module_.get();
  }
  static constexpr detail::HolderAccess kAccess{module_of, nullptr};

  ContainedModule module_;
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
