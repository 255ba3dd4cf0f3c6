#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tern/nn/cloneable.h>
#include <tern/nn/module_holder.h>

namespace tern::nn {

/// Modules by name, in order, registered in the module that holds the dictionary. It has no
/// forward.
///
/// Example:
///   nn::ModuleDict heads;
///   heads->insert("mean", nn::Linear(8, 2));
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
  /// Makes a dictionary of these modules.
  explicit ModuleDictImpl(const Pairs& modules) { update(modules); }
  explicit ModuleDictImpl(const NamedModules& modules) { update(modules); }

  std::shared_ptr<Module> clone(const std::optional<Device>& device = std::nullopt) const override;
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  /// Adds modules; a module with an existing key takes the place of the old one.
  void update(const Pairs& modules);
  template <class Container>
  void update(const Container& modules) {
    update(Pairs(modules.begin(), modules.end()));
  }
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

  /// Returns the module of a key as M, which is an Impl class. Throws IndexError when there is no
  /// such key, Error when the module is of another type.
  template <class M>
  M& at(const std::string& key) const {
    return *ptr<M>(key);
  }
  /// Returns the pointer to the module of a key, as a Module or as M. Throws as at() does.
  const std::shared_ptr<Module>& ptr(const std::string& key) const;
  template <class M>
  std::shared_ptr<M> ptr(const std::string& key) const {
    auto result = std::dynamic_pointer_cast<M>(ptr(key));
    if (!result) cast_error(key, typeid(M));
    return result;
  }
  /// Returns the pointer to the module of a key. Throws IndexError when there is no such key.
  const std::shared_ptr<Module>& operator[](const std::string& key) const { return ptr(key); }

 private:
  friend class detail::ContainerCloner;
  void append_clones(const ModuleDictImpl& from, detail::ContainerCloner& cloner);
  void put(const std::string& key, std::shared_ptr<Module> module);
  [[noreturn]] static void cast_error(const std::string& key, const std::type_info& wanted);
};
TERN_MODULE(ModuleDict);

}  // namespace tern::nn
