#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tern/core/tensor/state.h>
#include <tern/core/tensor/tensor.h>
#include <tern/nn/containers/ordered_dict.h>
#include <tern/nn/module/apply_functions.h>
#include <tern/nn/module/bound_members.h>
#include <tern/nn/module/hooks.h>
#include <tern/nn/module/impl_of.h>
#include <tern/nn/module/load_options.h>
#include <tern/nn/module/member_link.h>

namespace tern::nn {

template <class Contained, class Derived>
class ModuleHolder;

namespace detail {
class ContainerCloner;
class ParametrizedMembers;
struct Family;
}  // namespace detail

/// Base class of all modules: a tree of parameters (which an optimizer changes), buffers (other
/// tensors of the module) and submodules, each registered under a name.
///
/// Everything registered moves with `to()` and is saved by `state_dict()`. A tensor or module that
/// is only a data member is neither moved nor saved. If a holder that is a data member, and was
/// registered, is later assigned another module (`net->fc = nn::Linear(3, 2)`), the next call of
/// the module, of parameters(), to() or state_dict() throws Error: replace_module() replaces both.
///
/// Example:
///   struct NetImpl : nn::Module {
///     NetImpl() { fc = register_module("fc", nn::Linear(3, 1)); }
///     Tensor forward(Tensor x) { return fc(x); }
///     nn::Linear fc{nullptr};
///   };
///   TERN_MODULE(Net);
class TERN_API Module : public ModuleHooks,
                        public ApplyFunctions,
                        public std::enable_shared_from_this<Module> {
 public:
  /// Tensors and modules by name, in order.
  using NamedTensors = OrderedDict<std::string, Tensor>;
  using NamedModules = OrderedDict<std::string, std::shared_ptr<Module>>;

  /// Makes an empty module in training mode; name() is its C++ type.
  Module();
  /// Makes an empty module with a name for printing.
  explicit Module(std::string name);
  /// Copies the registrations; tensors and submodules are shared. Use clone() for a deep copy.
  Module(const Module&);
  /// Copies the registrations; tensors and submodules are shared.
  Module& operator=(const Module&);
  /// Releases the tensors and submodules.
  virtual ~Module();

  /// Returns the name given to the constructor, else the C++ type: "tern::nn::LinearImpl".
  std::string name() const;

  // --- Registration ------------------------------------------------------------------------------
  // Names must not be empty, must not contain a dot and must be unique within a module, across
  // parameters, buffers and submodules; otherwise these functions throw Error ("Parameter 'weight'
  // already defined").

  /// Registers a parameter, sets its requires_grad, and returns it. An undefined tensor registers a
  /// name without a parameter.
  ///
  /// Throws: Error ("Parameter 'weight' already defined") unless the name is new within this
  /// module, not empty and without a dot, and for a tensor that is not a leaf. Parameters, buffers
  /// and submodules share one set of names.
  Tensor& register_parameter(std::string name, Tensor tensor, StrictBool requires_grad = true);
  /// Registers a buffer and returns it. A non-persistent buffer moves with the module but is not
  /// saved.
  ///
  /// Throws: Error for a bad name, as register_parameter() does.
  Tensor& register_buffer(std::string name, Tensor tensor, StrictBool persistent = true);
  /// Registers a parameter and stores it in `member`, a data member of this module. If the member
  /// is later assigned another tensor (`fc->weight = other`), the next call of the module, of
  /// parameters(), to() or state_dict() throws Error.
  ///
  /// Throws: Error for a bad name, as register_parameter() does.
  void bind_parameter(const std::string& name, Tensor& member, Tensor tensor,
                      StrictBool requires_grad = true);
  /// Registers a buffer and stores it in `member`; see bind_parameter().
  void bind_buffer(const std::string& name, Tensor& member, Tensor tensor,
                   StrictBool persistent = true);
  /// Replaces the tensor of a parameter, also in the member that bind_parameter() bound, and
  /// returns the new tensor. Sets requires_grad. Existing optimizers keep the old tensor.
  ///
  /// Throws: IndexError when the name is not registered, Error for a tensor that is not a leaf.
  ///
  /// Example:
  ///   decoder->replace_parameter("weight", encoder->weight);  // tied
  Tensor& replace_parameter(const std::string& name, Tensor tensor,
                            StrictBool requires_grad = true);
  /// Replaces the tensor of a buffer; see replace_parameter().
  Tensor& replace_buffer(const std::string& name, Tensor tensor);
  /// Throws Error if a bound member has been assigned another tensor, or a registered member
  /// another module.
  void check_members() const {
    if (links_.may_differ()) [[unlikely]]
      check_links();
    for (const detail::BoundMember& member : members_) {
      if (member.was_assigned()) [[unlikely]] {
        member_error(member);
      }
    }
  }

  /// Registers a submodule and returns it.
  ///
  /// Throws: Error for a bad name, as register_parameter() does, for a null pointer, and for a
  /// module that contains this module.
  template <class M>
  // NOLINTNEXTLINE(performance-unnecessary-value-param): moved, where M is known.
  detail::Registered<M> register_module(const std::string& name, std::shared_ptr<M> module) {
    const std::string& stored = register_child(name, module);
    return {links_, stored, std::move(module)};
  }
  template <class Contained, class Derived>
  detail::Registered<Contained> register_module(const std::string& name,
                                                const ModuleHolder<Contained, Derived>& holder) {
    const std::string& stored = register_child(name, holder.base_ptr());
    links_.link_member(holder, stored, holder.kAccess);
    return {links_, stored, holder.ptr()};
  }
  /// Replaces a registered submodule, also in a holder that is a data member, and returns the new
  /// module.
  ///
  /// Throws: IndexError when the name is not registered, Error if the member cannot hold the
  /// module.
  ///
  /// Example:
  ///   net->replace_module("fc", nn::Linear(512, 10));
  template <class M>
  detail::Registered<M> replace_module(const std::string& name, std::shared_ptr<M> module) {
    replace_child(name, module);
    return {links_, name, std::move(module)};
  }
  template <class Contained, class Derived>
  detail::Registered<Contained> replace_module(const std::string& name,
                                               const ModuleHolder<Contained, Derived>& holder) {
    replace_child(name, holder.base_ptr());
    return {links_, name, holder.ptr()};
  }
  /// Removes a submodule, but not from a data member. Throws IndexError when the name is not
  /// registered.
  void unregister_module(const std::string& name);

  /// Returns the module at a path ("features.0"), or this module. Throws Error if there is none.
  std::shared_ptr<Module> get_submodule(const std::string& path) const;
  /// Returns the parameter at a path ("features.0.weight"). Throws Error if there is none.
  Tensor get_parameter(const std::string& path) const;
  /// Returns the buffer at a path ("features.1.running_mean"). Throws Error if there is none.
  Tensor get_buffer(const std::string& path) const;

  // --- Registered entries ------------------------------------------------------------------------
  // The module's own entries come first, then those of the submodules, depth first. Each tensor and
  // module comes once, under its first name. Undefined tensors are left out.

  /// Returns all parameters: this module's own, then those of the submodules, depth first; only its
  /// own if `recurse` is false. Every tensor comes once. Undefined tensors are left out.
  std::vector<Tensor> parameters(StrictBool recurse = true) const;
  /// Returns all parameters as parameters() does, with their names ("fc1.weight").
  NamedTensors named_parameters(StrictBool recurse = true) const;
  /// Returns all buffers, in the order of parameters().
  std::vector<Tensor> buffers(StrictBool recurse = true) const;
  /// Returns all buffers with their names ("bn.running_mean").
  NamedTensors named_buffers(StrictBool recurse = true) const;
  /// Returns this module and all modules below it, depth first, each once. Throws Error if
  /// `include_self` is true and the module is not owned by a shared_ptr (a holder owns it so).
  std::vector<std::shared_ptr<Module>> modules(StrictBool include_self = true) const;
  /// Returns modules as modules() does, with their names; this module has the name `name_prefix`.
  NamedModules named_modules(const std::string& name_prefix = std::string(),
                             StrictBool include_self = true) const;
  /// Returns the registered submodules of this module, not those below them.
  std::vector<std::shared_ptr<Module>> children() const;
  /// Returns the registered submodules of this module with their names.
  NamedModules named_children() const;

  /// Calls `function` with every module below this one, children before parents, and last with this
  /// module. A function with two arguments also gets the name, as in named_modules() ("" for this
  /// module).
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

  /// Sets the training mode of this module and all modules below it. Dropout and BatchNorm depend
  /// on it.
  virtual void train(bool on = true);
  template <class T>
  requires(!tern::detail::BoolArgument<T>) void train(const T& on) = delete;
  /// Sets evaluation mode: train(false).
  void eval() { train(false); }
  /// Returns true in training mode, which is the initial mode.
  virtual bool is_training() const noexcept { return is_training_; }
  /// Removes the gradients of all parameters, or fills them with zeros.
  virtual void zero_grad(bool set_to_none = true);
  template <class T>
  requires(!tern::detail::BoolArgument<T>) void zero_grad(const T& set_to_none) = delete;
  /// Sets requires_grad of all parameters. Returns this module.
  Module& requires_grad_(StrictBool requires_grad = true);

  // --- Moving ------------------------------------------------------------------------------------
  // In place: parameters and buffers keep their identity, so optimizers stay valid. Gradients move
  // along, tied parameters stay tied, and a dtype changes floating-point tensors only. On failure
  // the module is unchanged.

  /// Moves parameters and buffers to a device, casts them to a dtype, or both, in place. An integer
  /// is the number of a CUDA device. Returns this module.
  ///
  /// A dtype changes floating-point tensors only. Parameters keep their identity, so optimizers
  /// stay valid. Gradients move along, and tied parameters stay tied. With `non_blocking`, copies
  /// from pinned host memory to a GPU do not wait. On failure the module is unchanged.
  ///
  /// Throws: DTypeError unless `dtype` is floating point, DeviceError for a device that does not
  /// exist, OutOfMemoryError.
  Module& to(Device device, ScalarType dtype, StrictBool non_blocking = false);
  /// Throws DTypeError unless `dtype` is floating point.
  Module& to(ScalarType dtype, StrictBool non_blocking = false);
  Module& to(Device device, StrictBool non_blocking = false);
  /// Gives parameters and buffers of four or five dimensions this memory format. Throws ShapeError
  /// for one with another number of dimensions than the format has.
  ///
  /// Example:
  ///   net->to(tern::MemoryFormat::ChannelsLast);
  Module& to(MemoryFormat format);
  /// Moves the module to the CUDA device with this number.
  Module& to(int ordinal, StrictBool non_blocking = false) {
    return to(Device(ordinal), non_blocking);
  }
  Module& to(int ordinal, ScalarType dtype, StrictBool non_blocking = false) {
    return to(Device(ordinal), dtype, non_blocking);
  }
  // Rejects the wrong order of arguments and a null pointer; the right order is to(device, dtype).
  Module& to(ScalarType dtype, Device device, bool = false) = delete;
  Module& to(std::nullptr_t, bool = false) = delete;
  template <class T, class... Rest>
  requires tern::detail::kIsBool<T> Module& to(T, Rest...) = delete;
  /// Moves the module to a CUDA device, the current one by default; see to(). Throws DeviceError
  /// for other devices.
  Module& cuda() { return to(Device(kCUDA)); }
  Module& cuda(int ordinal, StrictBool non_blocking = false) {
    return to(Device(ordinal), non_blocking);
  }
  /// Throws DeviceError unless `device` is a cuda device.
  Module& cuda(Device device, StrictBool non_blocking = false);
  template <class T>
  requires tern::detail::kIsBool<T> Module& cuda(T, bool = false) = delete;
  /// Moves the module to the CPU; see to().
  Module& cpu() { return to(Device(kCPU)); }
  /// Moves parameters and buffers to a device without their elements, which are then undefined: for
  /// a module on meta, whose tensors have none. Without `recurse`, only those of this module.
  /// Returns this module. On failure the module is unchanged.
  ///
  /// Example:
  ///   net->to_empty(device).load_state_dict(state);
  Module& to_empty(Device device, StrictBool recurse = true);
  /// Casts the floating-point tensors to float16; see to().
  Module& half() { return to(kHalf); }
  /// Casts the floating-point tensors to bfloat16; see to().
  Module& bfloat16() { return to(kBFloat16); }

  /// Returns a deep copy, optionally on another device. Throws Error unless the module inherits
  /// from Cloneable or overrides clone().
  virtual std::shared_ptr<Module> clone(const std::optional<Device>& device = std::nullopt) const;

  // --- State -------------------------------------------------------------------------------------

  /// Returns parameters and persistent buffers by name, in Python's order. The tensors share their
  /// elements with the module.
  State state_dict() const;
  /// Copies the tensors of `state`, from any device, into the tensors of this module. Tied tensors
  /// stay tied, even with `assign`. Returns the missing and unexpected keys, which are errors
  /// unless strict is false.
  ///
  /// Everything is checked and copied to the module's device before the first tensor changes. On an
  /// error the module is unchanged, even if a copy on a GPU fails half-way.
  ///
  /// Throws: Error with a list of all problems: missing and unexpected keys, different sizes,
  /// different dtypes (unless `cast`), two values for one tensor.
  IncompatibleKeys load_state_dict(const State& state, const LoadOptions& options);
  IncompatibleKeys load_state_dict(const State& state, StrictBool strict = true) {
    return load_state_dict(state, LoadOptions{.strict = strict});
  }
  /// Writes parameters, persistent buffers and submodules to an archive, which torch::save() of
  /// programs for libtorch calls. Override save() and load() together to save more.
  virtual void save(serialize::OutputArchive& archive) const;
  /// Copies an archive into this module as load_state_dict() does; only submodules that override
  /// load() change at once. Throws Error if the archive lacks a tensor or a submodule.
  virtual void load(serialize::InputArchive& archive);
  /// Returns false for modules that state files leave out, such as Functional.
  virtual bool is_serializable() const { return true; }

  // --- Printing ----------------------------------------------------------------------------------

  /// Prints this module's own line, without its submodules; name() unless overridden.
  virtual void pretty_print(std::ostream& stream) const;
  /// Returns a table of all modules with their types, the shapes of their parameters and the
  /// numbers of elements.
  std::string summary() const;

  /// Returns this module as an M (Impl class or holder), null if it is none; at() throws instead.
  template <class M>
  auto* as() noexcept {
    return dynamic_cast<typename detail::ImplOf<M>::type*>(this);
  }
  template <class M>
  const auto* as() const noexcept {
    return dynamic_cast<const typename detail::ImplOf<M>::type*>(this);
  }

 protected:
  /// Returns true if a state may lack this module's own entry `name`, because files of old versions
  /// lack it.
  virtual bool is_optional_in_state(const std::string& name) const;

  /// Drops every registration, so that reset() can register again. For Cloneable.
  void forget_registered();
  /// Copies tensors, modes and hooks of a module of the same structure into this module. For
  /// Cloneable.
  void copy_from(const Module& other, const std::optional<Device>& device);
  /// Assigns one module of a class to another one.
  using Assign = void (*)(Module& to, const Module& from);
  /// Returns the assignment of the module's class, null if it has none. For Cloneable.
  virtual Assign assignment() const { return nullptr; }
  /// Copies the training mode and the hooks. For clone().
  void copy_modes(const Module& other);

  /// Registers a submodule of a container, which has entries of its own for its modules.
  const std::string& add_child(std::string name, std::shared_ptr<Module> module);
  /// Replaces a registered submodule. Containers replace their entry, too.
  virtual void replace_child(const std::string& name, std::shared_ptr<Module> module);

  /// The module's own parameters; containers change them directly.
  NamedTensors parameters_;
  /// The registered submodules; containers change them directly.
  NamedModules children_;

 private:
  struct Buffer {
    Tensor tensor;
    bool persistent;
  };
  friend class detail::ContainerCloner;
  friend class detail::ParametrizedMembers;
  friend class ModuleLoader;
  friend class ModuleWalk;
  friend TERN_API std::ostream& operator<<(std::ostream& stream, const Module& module);

  [[noreturn]] void member_error(const detail::BoundMember& member) const;
  void bind(const std::string& name, Tensor& member, const Tensor& tensor);
  void rebind(const std::string& name, const Tensor& tensor);
  void check_links() const;
  void check_has(const std::string& name) const;
  void check_name(const char* kind, const std::string& name) const;
  static void check_leaf(const std::string& name, const Tensor& parameter);
  void check_not_container(const char* function, const char* cure) const;
  const std::string& register_child(std::string name, std::shared_ptr<Module> module);
  void check_child(const std::string& name, const Module* module) const;
  Module& convert(std::optional<Device> device, std::optional<ScalarType> dtype, bool non_blocking,
                  std::optional<MemoryFormat> format = std::nullopt);
  Module& replace_tensors(bool recurse, const std::function<Tensor(const Tensor&)>& function);
  template <class OnContainer, class OnModule>
  void each_child(const OnContainer& on_container, const OnModule& on_module);
  void release_children() noexcept;
  std::shared_ptr<Module> shared_self() const;
  void copy_own(const Module& other, const std::optional<Device>& device);
  bool copy_members(const Module& other, const std::optional<Device>& device);
  bool is_held_like(const Module& copy);

  OrderedDict<std::string, Buffer> buffers_;
  detail::BoundMembers members_;
  detail::MemberLinks links_{*this};
  bool is_training_ = true;
  std::string name_;
  std::shared_ptr<detail::Family> family_;  // modules that may contain this one or be below it
};

/// Prints the tree of modules as libtorch does.
TERN_API std::ostream& operator<<(std::ostream& stream, const Module& module);

}  // namespace tern::nn
