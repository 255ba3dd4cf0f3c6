#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <tern/nn/containers/contained_module.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>

namespace tern::nn {

/// Modules in a list, registered as "0", "1", ... Unlike modules in a std::vector, they belong to
/// the module that registers the list. Has no forward.
///
/// Example:
///   nn::ModuleList layers(nn::Linear(8, 8), nn::Linear(8, 8));
///   for (const auto& layer : *layers) x = layer(x);
class TERN_API ModuleListImpl : public Cloneable<ModuleListImpl> {
 public:
  /// Iterators over the modules. set() replaces a module.
  using Iterator = std::vector<ContainedModule>::const_iterator;
  using ConstIterator = Iterator;
  /// An index as a parameter. No bool converts to it.
  using Index = StrictInteger<std::size_t>;

  /// Makes an empty list.
  ModuleListImpl() = default;
  /// Makes a list of modules, holders or shared pointers to modules.
  template <detail::ModuleLike... Modules>
  requires(
      sizeof...(Modules) > 0 &&
      !detail::kIsCopy<ModuleListImpl, Modules...>) explicit ModuleListImpl(Modules&&... modules) {
    (push_back(std::forward<Modules>(modules)), ...);
  }
  /// Makes a list of the modules of a container, such as std::vector<nn::Linear>.
  template <detail::ModuleRange Container>
  explicit ModuleListImpl(const Container& modules) {
    extend(modules);
  }

  std::shared_ptr<Module> clone(const std::optional<Device>& device = std::nullopt) const override;
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  /// Appends a module, a holder or a shared pointer to a module.
  template <detail::ModuleLike M>
  void push_back(M&& module) {
    append(std::forward<M>(module));
  }
  /// Inserts a module before `index`; the later modules get new names. Throws IndexError for an
  /// index above size().
  template <detail::ModuleLike M>
  void insert(Index index, M&& module) {
    insert_at(index, std::forward<M>(module));
  }
  /// Replaces the module at an index. Throws IndexError out of range.
  template <detail::ModuleLike M>
  void set(Index index, M&& module) {
    replace_at(index, std::forward<M>(module));
  }
  /// Removes the module at an index, by default the last, and returns it; the later modules get new
  /// names. Throws IndexError out of range.
  std::shared_ptr<Module> pop(Index index);
  std::shared_ptr<Module> pop();
  /// Returns a list of the modules from `begin` up to but not including `end`, which it shares.
  /// Larger numbers than size() mean size().
  std::shared_ptr<ModuleListImpl> slice(Index begin, Index end) const;
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
    return *ptr<typename detail::ImplOf<M>::type>(index);
  }
  /// Returns the pointer to the module at an index, as a Module or as M. Throws like at().
  const ContainedModule& ptr(Index index) const;
  template <class M>
  std::shared_ptr<M> ptr(Index index) const {
    auto result = std::dynamic_pointer_cast<M>(ptr(index));
    if (!result) cast_error(index, typeid(M));
    return result;
  }
  /// Returns the module at an index, which can be called. Throws IndexError out of range.
  ///
  /// Example:
  ///   x = layers[0](x);
  const ContainedModule& operator[](Index index) const { return ptr(index); }

 private:
  friend class detail::ContainerCloner;
  void append_clones(const ModuleListImpl& from, detail::ContainerCloner& cloner);
  void append(ContainedModule module);
  void insert_at(std::size_t index, ContainedModule module);
  void replace_at(std::size_t index, ContainedModule module);
  void replace_child(const std::string& name, std::shared_ptr<Module> module) override;
  [[noreturn]] void cast_error(std::size_t index, const std::type_info& wanted) const;

  std::vector<ContainedModule> modules_;
};
TERN_MODULE(ModuleList);

}  // namespace tern::nn
