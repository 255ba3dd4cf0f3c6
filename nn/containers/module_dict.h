#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tern/nn/containers/contained_module.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>

namespace tern::nn {

/// A module with its name, for braces and vectors: {"mean", nn::Linear(8, 2)}.
struct NamedModule : std::pair<std::string, ContainedModule> {
  /// Names a module: a shared pointer, a holder, a module by value, or a function that maps a
  /// Tensor to a Tensor.
  template <detail::ModuleLike M>
  NamedModule(std::string name, M&& module) : pair(std::move(name), std::forward<M>(module)) {}
};

/// Modules by name, in order of insertion, registered in the module that holds the dictionary. Has
/// no forward.
///
/// Example:
///   nn::ModuleDict heads({{"mean", nn::Linear(8, 2)}, {"act", nn::ReLU()}});
///   heads->insert("std", nn::Linear(8, 2));
///   Tensor mean = heads["mean"](x);
class TERN_API ModuleDictImpl : public Cloneable<ModuleDictImpl> {
 public:
  /// Iterators over the items. insert() replaces a module.
  using Iterator = OrderedDict<std::string, ContainedModule>::ConstIterator;
  using ConstIterator = Iterator;
  /// Names and modules.
  using Pairs = std::vector<std::pair<std::string, std::shared_ptr<Module>>>;

  /// Makes an empty dictionary.
  ModuleDictImpl();
  /// Makes a dictionary of the modules in a vector, a map or an OrderedDict of names and modules.
  template <detail::NamedModuleRange Container>
  explicit ModuleDictImpl(const Container& modules) {
    update(modules);
  }
  explicit ModuleDictImpl(std::initializer_list<NamedModule> modules);

  std::shared_ptr<Module> clone(const std::optional<Device>& device = std::nullopt) const override;
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  /// Adds modules. A module with an existing key replaces the old module.
  template <class Container>
  requires detail::NamedModuleRange<Container> || std::is_same_v<Container, ModuleDictImpl>
  void update(const Container& modules) {
    for (const auto& [key, module] : modules) insert(key, module);
  }
  void update(std::initializer_list<NamedModule> modules);
  /// Adds one module, or replaces it.
  template <detail::ModuleLike M>
  void insert(const std::string& key, M&& module) {
    put(key, std::forward<M>(module));
  }
  /// Removes a module and returns it. Throws IndexError when there is no such key.
  std::shared_ptr<Module> pop(const std::string& key);
  /// Removes all modules.
  void clear();

  /// Returns the number of modules.
  std::size_t size() const noexcept;
  /// Returns true when there is no module.
  bool empty() const noexcept;
  /// Returns true when there is no module.
  bool is_empty() const noexcept;
  /// Returns true when the key exists.
  bool contains(const std::string& key) const noexcept;
  /// Copies the keys, in order.
  std::vector<std::string> keys() const;
  /// Copies the modules, in order.
  std::vector<std::shared_ptr<Module>> values() const;
  /// Copies keys and modules, in order.
  Pairs items() const;
  /// Iterators over the items in order.
  ConstIterator begin() const;
  ConstIterator end() const;

  /// Returns the module of a key as M, an Impl class or a holder. Throws IndexError if there is no
  /// such key, Error if the module has another type.
  template <class M>
  typename detail::ImplOf<M>::type& at(const std::string& key) const {
    return *ptr<typename detail::ImplOf<M>::type>(key);
  }
  /// Returns the pointer to the module of a key, as a Module or as M. Throws like at().
  const ContainedModule& ptr(const std::string& key) const;
  template <class M>
  std::shared_ptr<M> ptr(const std::string& key) const {
    auto result = std::dynamic_pointer_cast<M>(ptr(key));
    if (!result) cast_error(key, typeid(M));
    return result;
  }
  /// Returns the module of a key, which can be called. Throws IndexError when there is no such key.
  ///
  /// Example:
  ///   Tensor mean = heads["mean"](x);
  const ContainedModule& operator[](const std::string& key) const { return ptr(key); }
  template <class I>
  requires std::is_integral_v<I>
  const ContainedModule& operator[](I) const = delete;

 private:
  friend class detail::ContainerCloner;
  void append_clones(const ModuleDictImpl& from, detail::ContainerCloner& cloner);
  void put(const std::string& key, ContainedModule module);
  void replace_child(const std::string& name, std::shared_ptr<Module> module) override;
  [[noreturn]] void cast_error(const std::string& key, const std::type_info& wanted) const;

  OrderedDict<std::string, ContainedModule> modules_;  // those of children_
};

/// The holder of ModuleDictImpl, which can also be made of named modules in braces.
///
/// Example:
///   nn::ModuleDict heads({{"mean", nn::Linear(8, 2)}, {"act", nn::ReLU()}});
class ModuleDict : public ModuleHolder<ModuleDictImpl, ModuleDict> {
 public:
  /// Makes the module from the arguments of its constructor.
  using ModuleHolder<ModuleDictImpl, ModuleDict>::ModuleHolder;

  /// Makes an empty dictionary.
  ModuleDict() = default;
  /// Holds modules under these names.
  TERN_API ModuleDict(std::initializer_list<NamedModule> modules);
};

}  // namespace tern::nn
