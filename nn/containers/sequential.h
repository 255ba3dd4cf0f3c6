#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tern/nn/any_module.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>

namespace tern::nn {

/// Modules that run one after the other, each on the result of the module before it.
///
/// Use braces: in braces C++ makes the modules from left to right, as Python does. In parentheses
/// the compiler chooses the order, and thus which module draws which random numbers. But
/// `nn::Sequential{inner}` of another Sequential copies the holder, so both are one module:
/// `push_back()` nests it.
///
/// Example:
///   nn::Sequential net{nn::Linear(2, 8), nn::ReLU(), nn::Linear(8, 1)};
///   nn::Sequential doubling{nn::Linear(2, 8), [](Tensor x) { return x * 2; }};
///   Tensor y = net(x);
class TERN_API SequentialImpl : public Cloneable<SequentialImpl> {
 public:
  /// Iterators over the modules. set() replaces a module.
  using Iterator = std::vector<AnyModule>::const_iterator;
  using ConstIterator = Iterator;
  /// An index as a parameter. No bool converts to it.
  using Index = StrictInteger<std::size_t>;

  /// Makes an empty Sequential.
  SequentialImpl() = default;
  /// Holds modules, holders, shared pointers to modules, or functions that map a Tensor to a
  /// Tensor, with the names "0", "1", ...
  template <detail::ModuleLike... Modules>
  requires(
      sizeof...(Modules) > 0 &&
      !detail::kIsCopy<SequentialImpl, Modules...>) explicit SequentialImpl(Modules&&... modules) {
    (push_back(std::forward<Modules>(modules)), ...);
  }
  /// Holds the modules of a container, such as std::vector<nn::Linear>.
  template <detail::ModuleRange Container>
  explicit SequentialImpl(const Container& modules) {
    extend(modules);
  }
  /// Holds modules with explicit names.
  explicit SequentialImpl(OrderedDict<std::string, AnyModule> modules);
  explicit SequentialImpl(std::initializer_list<NamedAnyModule> modules);

  std::shared_ptr<Module> clone(const std::optional<Device>& device = std::nullopt) const override;
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  /// Runs the modules and returns the last result as R. The first module gets the inputs. Throws
  /// Error if there is no module, if a module does not accept the result of the module before it,
  /// and if the last result is not an R.
  template <class R = Tensor, class... Inputs>
  R forward(Inputs&&... inputs) {
    AnyValue values[sizeof...(Inputs) + 1] = {AnyValue(std::forward<Inputs>(inputs))...};
    AnyValue result = run(values, sizeof...(Inputs));
    if (R* value = result.try_get<R>()) return std::move(*value);
    detail::return_type_error(result.type_info(), typeid(R));
  }

  /// Appends a module, a holder or a shared pointer to a module. The default name is the module's
  /// index.
  template <detail::ModuleLike M>
  void push_back(M&& module) {
    push_back(AnyModule(std::forward<M>(module)));
  }
  template <detail::ModuleLike M>
  void push_back(std::string name, M&& module) {
    push_back(std::move(name), AnyModule(std::forward<M>(module)));
  }
  void push_back(AnyModule module);
  void push_back(std::string name, AnyModule module);
  void push_back(const NamedAnyModule& module) { push_back(module.name(), module.module()); }
  /// Does the same as push_back().
  template <detail::ModuleLike M>
  void append(M&& module) {
    push_back(AnyModule(std::forward<M>(module)));
  }
  /// Inserts a module before an index. The modules are named "0", "1", ... afterwards. Throws
  /// IndexError for an index above size(), Error if the modules have other names.
  template <detail::ModuleLike M>
  void insert(Index index, M&& module) {
    insert(index, AnyModule(std::forward<M>(module)));
  }
  void insert(Index index, AnyModule module);
  /// Replaces the module at an index, which keeps its name. Throws IndexError out of range.
  ///
  /// Example:
  ///   net->classifier->set(6, nn::Linear(4096, 10));
  template <detail::ModuleLike M>
  void set(Index index, M&& module) {
    set(index, AnyModule(std::forward<M>(module)));
  }
  void set(Index index, AnyModule module);
  /// Removes the module at an index and returns it; the others are renamed as by insert(). Throws
  /// like insert().
  AnyModule pop(Index index);
  /// Returns a Sequential of the modules from `begin` up to but not including `end`, which it
  /// shares, with their names. Larger numbers than size() mean size().
  ///
  /// Example:
  ///   nn::Sequential features = net->slice(0, 3);
  std::shared_ptr<SequentialImpl> slice(Index begin, Index end) const;
  /// Appends all modules of another container.
  template <class Container>
  void extend(const Container& container) {
    for (const auto& module : container) push_back(module);
  }

  /// Returns the number of modules.
  std::size_t size() const noexcept { return modules_.size(); }
  /// Returns true when there is no module.
  bool is_empty() const noexcept { return modules_.empty(); }
  /// Iterators over the modules in order.
  ConstIterator begin() const { return modules_.begin(); }
  ConstIterator end() const { return modules_.end(); }

  /// Returns the module at an index as M, an Impl class or a holder. Throws IndexError if the index
  /// is out of range, Error if the module has another type.
  template <class M>
  typename detail::ImplOf<M>::type& at(Index index) const {
    return checked(index).get<typename detail::ImplOf<M>::type>();
  }
  /// Returns the pointer to the module at an index, as a Module or as M. Throws like at().
  const ContainedModule& ptr(Index index) const { return checked(index).ptr(); }
  template <class M>
  std::shared_ptr<M> ptr(Index index) const {
    return checked(index).ptr<M>();
  }
  /// Returns the module at an index, which can be called. Throws IndexError out of range.
  const ContainedModule& operator[](Index index) const { return ptr(index); }

 private:
  friend class detail::ContainerCloner;
  void append_clones(const SequentialImpl& from, detail::ContainerCloner& cloner);
  AnyValue run(AnyValue* inputs, std::size_t count) const;  // consumes the inputs
  const AnyModule& checked(std::size_t index) const;
  void check_numbered(const char* function) const;
  void renumber(std::vector<AnyModule> modules);
  void replace_child(const std::string& name, std::shared_ptr<Module> module) override;

  std::vector<AnyModule> modules_;
};

extern template class Cloneable<SequentialImpl>;

/// The holder of SequentialImpl, which can also be made of named modules.
///
/// Example:
///   nn::Sequential net({{"fc", nn::Linear(2, 1)}, {"act", nn::ReLU()}});
class Sequential : public ModuleHolder<SequentialImpl, Sequential> {
 public:
  /// Makes the module from the arguments of its constructor.
  using ModuleHolder<SequentialImpl, Sequential>::ModuleHolder;

  /// Makes an empty Sequential.
  Sequential() = default;
  /// Holds modules with explicit names.
  TERN_API Sequential(std::initializer_list<NamedAnyModule> modules);

  /// Runs the modules, with the hooks of this Sequential, and returns the last result.
  template <class... Inputs>
  Tensor operator()(Inputs&&... inputs) const {
    return detail::call(*get(), std::forward<Inputs>(inputs)...);
  }
};

}  // namespace tern::nn
