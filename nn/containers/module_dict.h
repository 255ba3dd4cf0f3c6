#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tern/nn/containers/functional_module.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>

namespace tern::nn {

/// A module with its name, for braces and vectors: {"mean", nn::Linear(8, 2)}.
struct NamedModule : std::pair<std::string, std::shared_ptr<Module>> {
  /// Names a module: a shared pointer, a holder, a module by value, or a function that maps a
  /// Tensor to a Tensor.
  template <detail::ModuleLike M>
  NamedModule(std::string name, M&& module)
      : pair(std::move(name), detail::module_ptr(std::forward<M>(module))) {}
};

/// Modules by name, in order of insertion, registered in the module that holds the dictionary. Has
/// no forward.
///
/// Example:
///   nn::ModuleDict heads({{"mean", nn::Linear(8, 2)}, {"act", nn::ReLU()}});
///   heads->insert("std", nn::Linear(8, 2));
///   Tensor mean = heads->at<nn::LinearImpl>("mean").forward(x);
class TERN_API ModuleDictImpl : public Cloneable<ModuleDictImpl> {
 public:
  /// Iterators over the items.
  using Iterator = NamedModules::Iterator;
  using ConstIterator = NamedModules::ConstIterator;
  /// Names and modules.
  using Pairs = std::vector<std::pair<std::string, std::shared_ptr<Module>>>;

  /// Makes an empty dictionary.
  ModuleDictImpl() = default;
  /// Makes a dictionary of the modules in a vector, a map or an OrderedDict of names and modules.
  template <detail::NamedModuleRange Container>
  explicit ModuleDictImpl(const Container& modules) {
    update(modules);
  }
  explicit ModuleDictImpl(std::initializer_list<NamedModule> modules) { update(modules); }

  std::shared_ptr<Module> clone(const std::optional<Device>& device = std::nullopt) const override;
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  /// Adds modules. A module with an existing key replaces the old module.
  template <class Container>
  requires detail::NamedModuleRange<Container> || std::is_same_v<Container, ModuleDictImpl>
  void update(const Container& modules) {
    for (const auto& [key, module] : modules) insert(key, module);
  }
  void update(std::initializer_list<NamedModule> modules) { update<>(modules); }
  /// Adds one module, or replaces it.
  template <detail::ModuleLike M>
  void insert(const std::string& key, M&& module) {
    put(key, detail::module_ptr(std::forward<M>(module)));
  }
  /// Removes a module and returns it. Throws IndexError when there is no such key.
  std::shared_ptr<Module> pop(const std::string& key);
  /// Removes all modules.
  void clear() { children_.clear(); }

  /// Returns the number of modules.
  std::size_t size() const noexcept { return children_.size(); }
  /// Returns true when there is no module.
  bool empty() const noexcept { return children_.is_empty(); }
  /// Returns true when there is no module.
  bool is_empty() const noexcept { return children_.is_empty(); }
  /// Returns true when the key exists.
  bool contains(const std::string& key) const noexcept { return children_.contains(key); }
  /// Copies the keys, in order.
  std::vector<std::string> keys() const { return children_.keys(); }
  /// Copies the modules, in order.
  std::vector<std::shared_ptr<Module>> values() const { return children_.values(); }
  /// Copies keys and modules, in order.
  Pairs items() const { return children_.pairs(); }
  /// Iterators over the items in order.
  Iterator begin() { return children_.begin(); }
  Iterator end() { return children_.end(); }
  ConstIterator begin() const { return children_.begin(); }
  ConstIterator end() const { return children_.end(); }

  /// Returns the module of a key as M, which is an Impl class. Throws IndexError if there is no
  /// such key, Error if the module has another type.
  template <class M>
  M& at(const std::string& key) const {
    return *ptr<M>(key);
  }
  /// Returns the pointer to the module of a key, as a Module or as M. Throws like at().
  const std::shared_ptr<Module>& ptr(const std::string& key) const;
  template <class M>
  std::shared_ptr<M> ptr(const std::string& key) const {
    auto result = std::dynamic_pointer_cast<M>(ptr(key));
    if (!result) cast_error(key, typeid(M));
    return result;
  }
  /// Returns the pointer to the module of a key. Throws IndexError when there is no such key.
  const std::shared_ptr<Module>& operator[](const std::string& key) const { return ptr(key); }
  template <class I>
  requires std::is_integral_v<I>
  const std::shared_ptr<Module>& operator[](I) const = delete;

 private:
  friend class detail::ContainerCloner;
  void append_clones(const ModuleDictImpl& from, detail::ContainerCloner& cloner);
  void put(const std::string& key, std::shared_ptr<Module> module);
  [[noreturn]] static void cast_error(const std::string& key, const std::type_info& wanted);
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
