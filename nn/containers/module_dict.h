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

/// Modules by name, in order, as part of the module that registers the dictionary. It has no
/// forward.
///
/// Example: nn::ModuleDict heads(OrderedDict<std::string, std::shared_ptr<nn::Module>>{
///     {"mean", nn::Linear(8, 2).ptr()}, {"spread", nn::Linear(8, 2).ptr()}});
class TERN_API ModuleDictImpl : public Cloneable<ModuleDictImpl> {
 public:
  using Iterator = NamedModules::Iterator;
  using ConstIterator = NamedModules::ConstIterator;
  using Pairs = std::vector<std::pair<std::string, std::shared_ptr<Module>>>;

  ModuleDictImpl() = default;
  explicit ModuleDictImpl(const Pairs& modules) { update(modules); }
  explicit ModuleDictImpl(const NamedModules& modules) { update(modules); }

  std::shared_ptr<Module> clone(const std::optional<Device>& device = std::nullopt) const override;
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  /// Adds modules; one whose key exists replaces it there.
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
  /// Removes a module and returns it. Throws IndexError.
  std::shared_ptr<Module> pop(const std::string& key);
  void clear() { children_.clear(); }

  std::size_t size() const noexcept { return children_.size(); }
  bool empty() const noexcept { return children_.is_empty(); }
  bool is_empty() const noexcept { return children_.is_empty(); }
  bool contains(const std::string& key) const noexcept { return children_.contains(key); }
  std::vector<std::string> keys() const { return children_.keys(); }
  std::vector<std::shared_ptr<Module>> values() const { return children_.values(); }
  Pairs items() const { return children_.pairs(); }
  Iterator begin() { return children_.begin(); }
  Iterator end() { return children_.end(); }
  ConstIterator begin() const { return children_.begin(); }
  ConstIterator end() const { return children_.end(); }

  /// The module of a key, as M. Throws IndexError, and Error when it is something else.
  template <class M>
  M& at(const std::string& key) const {
    return *ptr<M>(key);
  }
  const std::shared_ptr<Module>& ptr(const std::string& key) const;
  template <class M>
  std::shared_ptr<M> ptr(const std::string& key) const {
    auto result = std::dynamic_pointer_cast<M>(ptr(key));
    if (!result) cast_error(key, typeid(M));
    return result;
  }
  const std::shared_ptr<Module>& operator[](const std::string& key) const { return ptr(key); }

 private:
  void put(const std::string& key, std::shared_ptr<Module> module);
  [[noreturn]] static void cast_error(const std::string& key, const std::type_info& wanted);
};
TERN_MODULE(ModuleDict);

}  // namespace tern::nn
