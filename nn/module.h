#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <tern/core/tensor/state.h>
#include <tern/core/tensor/tensor.h>
#include <tern/nn/any_value.h>
#include <tern/nn/ordered_dict.h>

namespace tern::nn {

template <class Contained, class Derived>
class ModuleHolder;

/// How `load_state_dict` takes a state: `net->load_state_dict(state, {.cast = true})`.
struct LoadOptions {
  /// Whether missing and unexpected keys are errors.
  bool strict = true;
  /// The module's tensors take the state's elements for their own instead of copying them; those of
  /// another device, or not contiguous, are copied. A tensor on meta takes them where they are.
  bool assign = false;
  /// Whether dtypes may differ; tensors are cast to those of the module.
  bool cast = false;
};

/// Which keys `load_state_dict` did not find, and which it did not want.
struct IncompatibleKeys {
  std::vector<std::string> missing_keys;
  std::vector<std::string> unexpected_keys;
};
/// Prints as Python does: "<All keys matched successfully>" when both are empty.
TERN_API std::ostream& operator<<(std::ostream& out, const IncompatibleKeys& keys);

namespace detail {
template <class T>
struct ImplOf {
  using type = T;
};
template <class T>
requires requires { typename T::ContainedType; }
struct ImplOf<T> {
  using type = typename T::ContainedType;
};
}  // namespace detail

/// Base of all modules: a tree of parameters (what an optimizer changes), buffers (other tensors
/// that belong to the module) and submodules, each registered under a name.
///
/// What is registered moves with `to()` and is saved by `state_dict()`. A tensor or module that is
/// merely a member is neither.
///
/// Example:
///   struct NetImpl : nn::Module {
///     NetImpl() { fc = register_module("fc", nn::Linear(3, 1)); }
///     Tensor forward(Tensor x) { return fc(x); }
///     nn::Linear fc{nullptr};
///   };
///   TERN_MODULE(Net);
class TERN_API Module : public std::enable_shared_from_this<Module> {
 public:
  using NamedTensors = OrderedDict<std::string, Tensor>;
  using NamedModules = OrderedDict<std::string, std::shared_ptr<Module>>;

  Module();
  /// `name` is what name() returns instead of the type.
  explicit Module(std::string name);
  Module(const Module&);
  Module& operator=(const Module&);
  virtual ~Module();

  /// The C++ type: "NetImpl", "tern::nn::LinearImpl".
  std::string name() const;

  // --- Registration ------------------------------------------------------------------------------
  // Names are not empty, hold no dot and are unique within a module, across all three kinds; else
  // these throw Error ("Parameter 'weight' already defined").

  /// Registers a parameter, makes it require grad as told, and returns it. An undefined tensor
  /// registers a name without a parameter.
  Tensor& register_parameter(std::string name, Tensor tensor, bool requires_grad = true);
  /// Registers a buffer and returns it. One that is not persistent moves, but is not saved.
  Tensor& register_buffer(std::string name, Tensor tensor, bool persistent = true);
  /// Registers a submodule and returns it. Throws Error for a null pointer, and for a module that
  /// holds this one.
  template <class M>
  std::shared_ptr<M> register_module(std::string name, std::shared_ptr<M> module) {
    add_child(std::move(name), module);
    return module;
  }
  template <class Contained, class Derived>
  std::shared_ptr<Contained> register_module(std::string name,
                                             const ModuleHolder<Contained, Derived>& holder) {
    return register_module(std::move(name), holder.ptr());
  }
  /// Puts another module in the place of a registered one.
  template <class M>
  std::shared_ptr<M> replace_module(const std::string& name, std::shared_ptr<M> module) {
    replace_child(name, module);
    return module;
  }
  template <class Contained, class Derived>
  std::shared_ptr<Contained> replace_module(const std::string& name,
                                            const ModuleHolder<Contained, Derived>& holder) {
    return replace_module(name, holder.ptr());
  }
  void unregister_module(const std::string& name);

  // --- What is registered ------------------------------------------------------------------------
  // Own entries first, then those of the submodules, depth first. Each tensor and module comes
  // once, under its first name; undefined tensors are left out.

  std::vector<Tensor> parameters(bool recurse = true) const;
  NamedTensors named_parameters(bool recurse = true) const;
  std::vector<Tensor> buffers(bool recurse = true) const;
  NamedTensors named_buffers(bool recurse = true) const;
  /// This module and all below it. With include_self this module must live in a shared_ptr.
  std::vector<std::shared_ptr<Module>> modules(bool include_self = true) const;
  NamedModules named_modules(const std::string& name_prefix = std::string(),
                             bool include_self = true) const;
  std::vector<std::shared_ptr<Module>> children() const;
  NamedModules named_children() const;

  /// Calls `function` with every module below this one and then with this one, children first.
  /// The forms with a name give it as in named_modules ("" for this module).
  void apply(const std::function<void(Module&)>& function);
  void apply(const std::function<void(const Module&)>& function) const;
  void apply(const std::function<void(const std::string&, Module&)>& function,
             const std::string& name_prefix = std::string());
  void apply(const std::function<void(const std::string&, const Module&)>& function,
             const std::string& name_prefix = std::string()) const;
  void apply(const std::function<void(const std::shared_ptr<Module>&)>& function) const;
  void apply(
      const std::function<void(const std::string&, const std::shared_ptr<Module>&)>& function,
      const std::string& name_prefix = std::string()) const;

  // --- Modes and gradients -----------------------------------------------------------------------

  /// Sets the training mode here and below; Dropout and BatchNorm look at it.
  virtual void train(bool on = true);
  void eval() { train(false); }
  bool is_training() const noexcept { return is_training_; }
  /// Forgets the gradients of all parameters, or fills them with zeros.
  virtual void zero_grad(bool set_to_none = true);
  /// Makes all parameters require grad, or none.
  Module& requires_grad_(bool requires_grad = true);

  // --- Moving ------------------------------------------------------------------------------------
  // In place: parameters and buffers keep their identity, so optimizers stay valid; .grad moves
  // along; tied parameters stay tied; a dtype changes floating-point tensors only. When anything
  // fails, the module is as it was.

  Module& to(Device device, ScalarType dtype, bool non_blocking = false);
  /// Throws DTypeError unless `dtype` is floating point.
  Module& to(ScalarType dtype, bool non_blocking = false);
  Module& to(Device device, bool non_blocking = false);
  /// cuda:ordinal.
  Module& to(int ordinal, bool non_blocking = false) { return to(Device(ordinal), non_blocking); }
  Module& cuda() { return to(Device(kCUDA)); }
  Module& cuda(int ordinal) { return to(Device(ordinal)); }
  /// Throws DeviceError unless `device` is a cuda device.
  Module& cuda(Device device);
  Module& cpu() { return to(Device(kCPU)); }
  /// Casts the floating-point tensors to float16 or bfloat16.
  Module& half() { return to(kHalf); }
  Module& bfloat16() { return to(kBFloat16); }

  /// A deep copy, optionally on another device. Modules that inherit from Cloneable have it.
  virtual std::shared_ptr<Module> clone(const std::optional<Device>& device = std::nullopt) const;

  // --- State -------------------------------------------------------------------------------------

  /// Parameters and persistent buffers by name, in Python's order. The tensors share their elements
  /// with the module.
  State state_dict() const;
  /// Copies the tensors of `state`, wherever they are, into this module's. Tied tensors stay tied,
  /// also when they are assigned. Everything is checked, and brought to the module's device, first;
  /// a copy on a GPU that then fails is taken back with those before it: on an error the module is
  /// unchanged. Throws Error listing all problems: missing and unexpected keys (unless strict is
  /// false), sizes that differ, dtypes that differ (unless casting is allowed), two values for one
  /// tensor.
  IncompatibleKeys load_state_dict(const State& state, const LoadOptions& options);
  IncompatibleKeys load_state_dict(const State& state, bool strict = true) {
    return load_state_dict(state, LoadOptions{.strict = strict});
  }
  /// False for modules that files leave out, such as Functional.
  virtual bool is_serializable() const { return true; }

  // --- Hooks -------------------------------------------------------------------------------------
  // They run when the module is called through its holder or by Sequential, not by a plain
  // forward(). Both kinds return a number for remove_hook.

  /// Called before forward; may change the inputs.
  using ForwardPreHook = std::function<void(Module& module, std::vector<AnyValue>& inputs)>;
  /// Called after forward; may change the output.
  using ForwardHook =
      std::function<void(Module& module, const std::vector<AnyValue>& inputs, AnyValue& output)>;
  unsigned register_forward_pre_hook(ForwardPreHook hook);
  unsigned register_forward_hook(ForwardHook hook);
  void remove_hook(unsigned number);
  bool has_forward_hooks() const noexcept { return hooks_ != nullptr; }
  void run_forward_pre_hooks(std::vector<AnyValue>& inputs);
  void run_forward_hooks(const std::vector<AnyValue>& inputs, AnyValue& output);

  // --- Printing ----------------------------------------------------------------------------------

  /// Writes this module's own line without its children; the name unless overridden.
  virtual void pretty_print(std::ostream& stream) const;
  /// A table: every module with its type, the shapes of its parameters and their number.
  std::string summary() const;

  /// This module as M (an Impl class or a holder), or null when it is something else.
  template <class M>
  auto* as() noexcept {
    return dynamic_cast<typename detail::ImplOf<M>::type*>(this);
  }
  template <class M>
  const auto* as() const noexcept {
    return dynamic_cast<const typename detail::ImplOf<M>::type*>(this);
  }

 protected:
  /// Whether a state without this own entry is accepted; files of old versions lack some.
  virtual bool is_optional_in_state(const std::string& name) const;

  /// For Cloneable: drops every registration, so that reset() can register anew.
  void forget_registered();
  /// For Cloneable: copies tensors, modes and hooks of a module of the same form into this one.
  void copy_from(const Module& other, const std::optional<Device>& device);
  /// For clone(): takes over the training mode and the hooks.
  void copy_modes(const Module& other);

  // Containers change these directly.
  NamedTensors parameters_;
  NamedModules children_;

 private:
  struct Buffer {
    Tensor tensor;
    bool persistent;
  };
  struct Hooks {
    std::vector<std::pair<unsigned, ForwardPreHook>> before;
    std::vector<std::pair<unsigned, ForwardHook>> after;
  };
  friend class ModuleLoader;
  friend class ModuleWalk;
  friend TERN_API std::ostream& operator<<(std::ostream& stream, const Module& module);

  void check_name(const char* kind, const std::string& name) const;
  void add_child(std::string name, std::shared_ptr<Module> module);
  void replace_child(const std::string& name, std::shared_ptr<Module> module);
  void check_child(const std::string& name, const Module* module) const;
  Module& convert(std::optional<Device> device, std::optional<ScalarType> dtype, bool non_blocking);
  void add_state(State& state, const std::string& prefix) const;
  void print_tree(std::ostream& stream, const std::string& indentation) const;
  std::shared_ptr<Module> shared_self() const;
  std::shared_ptr<Hooks> copy_hooks() const;

  OrderedDict<std::string, Buffer> buffers_;
  std::shared_ptr<const Hooks> hooks_;  // replaced, never changed: a running hook may remove itself
  unsigned next_hook_ = 0;
  bool is_training_ = true;
  std::string name_;
};

/// Prints the tree of modules as libtorch does.
TERN_API std::ostream& operator<<(std::ostream& stream, const Module& module);

}  // namespace tern::nn
