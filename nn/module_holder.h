#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <tern/nn/module.h>
#include <tern/nn/module/call.h>

namespace tern::nn {

class FunctionalImpl;

namespace detail {
[[noreturn]] TERN_API void empty_holder_error();

/// True if Impl, or a class that it is derived from, overrides Module::clone().
template <class Impl>
inline constexpr bool kHasClone = !requires {
  requires std::is_same_v<decltype(&Impl::clone), decltype(&Module::clone)>;
};
/// Rejects a module that cannot be copied.
template <class Impl>
constexpr void require_clone() {
  static_assert(kHasClone<Impl> || std::is_same_v<Impl, Module>,
                "This module has no clone(). Derive it from nn::Cloneable<NetImpl> instead of "
                "nn::Module, and register its parameters, buffers and submodules in reset(), which "
                "the constructor calls.");
}

/// Arguments of to(): where a module is or its dtype. Constructors do not take them.
template <class T>
concept Placement = std::is_same_v<T, Device> || std::is_same_v<T, DeviceType> ||
    std::is_same_v<T, ScalarType> || std::is_same_v<T, TensorOptions> ||
    std::is_same_v<T, MemoryFormat> || tern::detail::TextArgument<T>;

/// Owns a new module. One function for all classes: std::make_shared would be compiled again for
/// every layer of a program.
TERN_API std::shared_ptr<Module> own_module(Module* module);
template <class Impl>
std::shared_ptr<void> own(Impl* module) {
  if constexpr (std::is_convertible_v<Impl*, Module*>) {
    return own_module(module);
  } else {
    return std::shared_ptr<Impl>(module);
  }
}

/// A new module that nobody owns yet.
template <class Impl>
struct NewModule {
  explicit NewModule(Impl* made) : module(made) {}
  Impl* module;
};

/// Makes the module of a holder from the arguments of its constructor. Reports wrong arguments by a
/// static_assert in words.
template <class Impl, class... Args>
NewModule<Impl> make_module(Args&&... args) {
  constexpr bool kFits = std::is_constructible_v<Impl, Args...>;
  constexpr bool kIsPlaced = (Placement<std::decay_t<Args>> || ...);
  static_assert(kFits || sizeof...(Args) > 0,
                "The module has no default constructor. For a member that is set later write "
                "nn::Linear fc{nullptr};");
  static_assert(kFits || !kIsPlaced,
                "The module's constructor takes no device and no dtype. Move the module after it "
                "is made: nn::Linear(3, 1).to(device)");
  static_assert(kFits || kIsPlaced || sizeof...(Args) == 0,
                "The module has no constructor with these arguments. Options that it does not take "
                "are set by name: nn::Linear(nn::LinearOptions(3, 1).bias(false)). Containers take "
                "modules, holders, shared pointers to modules, vectors of these, and functions "
                "that map a Tensor to a Tensor.");
  if constexpr (kFits) {
    return NewModule<Impl>(new Impl(std::forward<Args>(args)...));
  } else {
    return NewModule<Impl>(nullptr);
  }
}
}  // namespace detail

/// A shared pointer to a module that makes, calls and moves the module: `nn::Linear` holds an
/// `nn::LinearImpl`. Copies share the module.
///
/// nullptr makes an empty holder, for members that are set later. Using an empty holder throws
/// Error ("Accessing empty ModuleHolder"). Derived is the holder's own type; TERN_MODULE fills it
/// in.
///
/// Example:
///   nn::Linear fc(784, 400);   // makes the module from the arguments of LinearImpl's constructor
///   Tensor y = fc(x);          // calls forward
///   fc->weight;                // reaches members
///   fc.to("cuda:0");
template <class Contained, class Derived = void>
class ModuleHolder : public detail::MemberLink {
  using Self = std::conditional_t<std::is_void_v<Derived>, ModuleHolder, Derived>;
  // std::disjunction does not look at its second argument for a holder. With || a program would
  // make the class std::shared_ptr<Contained> of every layer.
  template <class T>
  static constexpr bool kIsSource =
      std::disjunction_v<std::is_base_of<ModuleHolder, std::remove_cvref_t<T>>,
                         std::is_convertible<T, std::shared_ptr<Contained>>>;
  friend class Module;

  static const Module* module_of(const detail::MemberLink& link) {
    const auto& holder = static_cast<const ModuleHolder&>(link);
    return holder.is_empty() ? nullptr : holder.module_;  // empty after a move, too
  }
  static bool set(detail::MemberLink& link, const std::shared_ptr<Module>& module, bool commit) {
    auto* const contained = dynamic_cast<Contained*>(module.get());
    if (contained != nullptr && commit) {
      auto& holder = static_cast<ModuleHolder&>(link);
      holder.module_ = contained;
      holder.owner_ = module;
    }
    return contained != nullptr;
  }
  static constexpr detail::HolderAccess kAccess{module_of, set};

 public:
  /// The module class.
  using ContainedType = Contained;
  using Impl = Contained;

  /// Makes the module with its default constructor.
  ModuleHolder() : ModuleHolder(detail::make_module<Contained>()) {}
  /// Makes an empty holder.
  ModuleHolder(std::nullptr_t) noexcept {}
  /// Shares an existing module.
  ModuleHolder(std::shared_ptr<Contained> module) noexcept
      : module_(module.get()), owner_(std::move(module)) {}
  /// Shares a module that register_module() has registered. The registering module watches this
  /// holder if it is one of its data members.
  template <class M>
  requires std::is_convertible_v<M*, Contained*> ModuleHolder(
      const detail::Registered<M>& registered)
      : ModuleHolder(std::shared_ptr<Contained>(registered)) {
    take(registered, kAccess);
  }
  /// Makes the module from the arguments of its constructor.
  template <class Head, class... Tail>
  requires(sizeof...(Tail) != 0 || !kIsSource<Head>) explicit ModuleHolder(Head&& head,
                                                                           Tail&&... tail)
      : ModuleHolder(detail::make_module<Contained>(std::forward<Head>(head),
                                                    std::forward<Tail>(tail)...)) {}

  /// Takes over a module that the holder's class has made.
  explicit ModuleHolder(detail::NewModule<Contained> made)
      : module_(made.module), owner_(detail::own(made.module)) {}

  /// Returns true for an empty holder.
  bool is_empty() const noexcept { return owner_ == nullptr; }
  /// Returns false for an empty holder.
  explicit operator bool() const noexcept { return !is_empty(); }
  /// Returns the shared pointer. Throws Error when the holder is empty.
  std::shared_ptr<Contained> ptr() const { return {owner_, get()}; }
  /// Returns the pointer as a Module. Cheaper to compile than ptr(). Throws Error when the holder
  /// is empty.
  std::shared_ptr<Module> base_ptr() const { return {owner_, get()}; }
  /// Returns the plain pointer. Throws Error when the holder is empty.
  Contained* get() const {
    if (is_empty()) detail::empty_holder_error();
    return module_;
  }
  /// Accesses the module. Throws Error when the holder is empty.
  Contained* operator->() const { return get(); }
  /// Accesses the module. Throws Error when the holder is empty.
  Contained& operator*() const { return *get(); }

  /// Calls the module's forward with its hooks. Errors thrown inside name the module.
  template <class... Args, class M = Contained>
  auto operator()(Args&&... args) const
      -> decltype(std::declval<M&>().forward(std::forward<Args>(args)...)) {
    return detail::call(*get(), std::forward<Args>(args)...);
  }

  /// Returns the container's element at an index or key, like the module's own operator[].
  ///
  /// Example:
  ///   nn::ModuleList layers;
  ///   layers[0];
  template <class Key, class M = Contained>
  auto operator[](Key&& key) const -> decltype(std::declval<M&>()[std::forward<Key>(key)]) {
    return (*get())[std::forward<Key>(key)];
  }

  /// Moves or casts the module like Module::to() and returns the holder.
  ///
  /// Example:
  ///   auto net = nn::Linear(3, 1).to(device);
  template <class... Args>
  requires requires(Module& module, Args&&... args) { module.to(std::forward<Args>(args)...); }
  Self to(Args&&... args) const {
    get()->Module::to(std::forward<Args>(args)...);
    return self();
  }
  /// Moves the module like Module::cuda() and returns the holder.
  template <class... Args>
  requires requires(Module& module, Args&&... args) { module.cuda(std::forward<Args>(args)...); }
  Self cuda(Args&&... args) const {
    get()->Module::cuda(std::forward<Args>(args)...);
    return self();
  }
  /// Moves the module to the CPU and returns the holder.
  Self cpu() const {
    get()->Module::cpu();
    return self();
  }
  /// Casts the floating-point tensors to float16 and returns the holder.
  Self half() const {
    get()->Module::half();
    return self();
  }
  /// Casts the floating-point tensors to bfloat16 and returns the holder.
  Self bfloat16() const {
    get()->Module::bfloat16();
    return self();
  }
  /// Returns a holder of a deep copy, optionally on another device.
  Self clone(const std::optional<Device>& device = std::nullopt) const {
    detail::require_clone<Contained>();
    auto copy = std::dynamic_pointer_cast<Contained>(get()->clone(device));
    TERN_CHECK(copy != nullptr, Error, get()->name(),
               "::clone() returned a module of another type");
    return Self(std::move(copy));
  }
  /// Returns the module's parameters and persistent buffers; see Module::state_dict().
  State state_dict() const { return get()->state_dict(); }
  /// Loads a state into the module; see Module::load_state_dict().
  IncompatibleKeys load_state_dict(const State& state, const LoadOptions& options) const {
    return get()->load_state_dict(state, options);
  }
  IncompatibleKeys load_state_dict(const State& state, StrictBool strict = true) const {
    return get()->load_state_dict(state, strict);
  }

 private:
  Self self() const { return static_cast<const Self&>(*this); }

  Contained* module_ = nullptr;
  // Not a std::shared_ptr<Contained>: a program that includes tern would make that class of every
  // layer, more than 1 ms each.
  std::shared_ptr<void> owner_;
};

/// Prints the module.
template <class Contained, class Derived>
std::ostream& operator<<(std::ostream& stream, const ModuleHolder<Contained, Derived>& holder) {
  return stream << static_cast<const Module&>(*holder);
}

namespace detail {

/// Returns the module in a shared pointer or a holder. Moves a module given by value into a new
/// shared pointer.
template <class M>
requires std::is_base_of_v<Module, M> std::shared_ptr<Module> module_ptr(
    std::shared_ptr<M> module) {
  return module;
}
template <class Contained, class Derived>
std::shared_ptr<Module> module_ptr(const ModuleHolder<Contained, Derived>& holder) {
  return holder.base_ptr();
}
template <class M>
requires std::is_base_of_v<Module, std::remove_cvref_t<M>> std::shared_ptr<Module> module_ptr(
    M&& module) {
  return own_module(new std::remove_cvref_t<M>(std::forward<M>(module)));
}

/// The class of the module that module_ptr() returns for a T: `type`.
template <class T>
struct HeldModule {
  using Impl = typename ImplOf<T>::type;
  using type = std::conditional_t<std::is_base_of_v<Module, Impl>, Impl, FunctionalImpl>;
};
template <class T>
requires requires { typename T::element_type; }
struct HeldModule<T> {  // a shared pointer
  using type = typename T::element_type;
};

template <class T>
inline constexpr bool kIsHolder = requires {
  typename T::ContainedType;
};
/// A function that maps a Tensor to a Tensor and is not a module.
template <class F>
concept TensorFunction =
    !std::is_base_of_v<Module, F> && !kIsHolder<F> && std::is_invocable_r_v<Tensor, F&, Tensor>;
/// Makes a Functional that calls the function. Defined in functional_module.h.
template <class F>
requires TensorFunction<std::decay_t<F>> std::shared_ptr<Module> module_ptr(F&& function);

/// The types that containers accept as a module.
template <class T>
concept ModuleLike = requires(T&& module) {
  module_ptr(std::forward<T>(module));
};

/// A container of ModuleLike elements, such as std::vector<nn::Linear>.
template <class C>
concept ModuleRange = !std::is_base_of_v<Module, C> && requires(const C& container) {
  module_ptr(*container.begin());
  container.end();
};

/// A container of names and modules, such as std::map<std::string, nn::Linear>.
template <class C>
concept NamedModuleRange = !std::is_base_of_v<Module, C> && requires(const C& container) {
  std::string(container.begin()->first);
  module_ptr(container.begin()->second);
  container.end();
};

/// True for the arguments of a copy: one Impl, or one object of a derived class.
template <class Impl, class... Args>
inline constexpr bool kIsCopy = sizeof...(Args) == 1 &&
                                (std::is_base_of_v<Impl, std::remove_cvref_t<Args>> && ...);

}  // namespace detail
}  // namespace tern::nn

// NOLINTBEGIN(bugprone-macro-parentheses): types and names take none.

/// Defines the holder class Name for the module class Impl.
#define TERN_MODULE_IMPL(Name, Impl)                          \
  class Name : public ::tern::nn::ModuleHolder<Impl, Name> {  \
   public:                                                    \
    using ::tern::nn::ModuleHolder<Impl, Name>::ModuleHolder; \
  }

// NOLINTEND(bugprone-macro-parentheses)

/// Defines the holder class Name for the module class NameImpl.
///
/// Example:
///   struct NetImpl : nn::Module { ... };
///   TERN_MODULE(Net);
#define TERN_MODULE(Name) TERN_MODULE_IMPL(Name, Name##Impl)
