#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <tern/nn/cloneable.h>
#include <tern/nn/module_holder.h>

namespace tern::nn {

/// Modules in a list, registered as "0", "1", ...; unlike those of a plain std::vector they are
/// part of the module that registers the list. It has no forward.
class TERN_API ModuleListImpl : public Cloneable<ModuleListImpl> {
 public:
  using Iterator = std::vector<std::shared_ptr<Module>>::iterator;
  using ConstIterator = std::vector<std::shared_ptr<Module>>::const_iterator;

  ModuleListImpl() = default;
  /// Modules, holders or shared pointers to modules.
  template <detail::ModuleLike... Modules>
  requires(sizeof...(Modules) > 0) explicit ModuleListImpl(Modules&&... modules) {
    (push_back(std::forward<Modules>(modules)), ...);
  }

  std::shared_ptr<Module> clone(const std::optional<Device>& device = std::nullopt) const override;
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  template <detail::ModuleLike M>
  void push_back(M&& module) {
    append(detail::module_ptr(std::forward<M>(module)));
  }
  /// Puts a module before position `index`; the later ones get new names. Throws IndexError.
  template <detail::ModuleLike M>
  void insert(std::size_t index, M&& module) {
    insert_at(index, detail::module_ptr(std::forward<M>(module)));
  }
  /// Appends all modules of another container.
  template <class Container>
  void extend(const Container& container) {
    for (const auto& module : container) push_back(module);
  }

  std::size_t size() const noexcept { return modules_.size(); }
  bool is_empty() const noexcept { return modules_.empty(); }
  Iterator begin() { return modules_.begin(); }
  Iterator end() { return modules_.end(); }
  ConstIterator begin() const { return modules_.begin(); }
  ConstIterator end() const { return modules_.end(); }

  /// The module at a position, as M. Throws IndexError, and Error when it is something else.
  template <class M>
  M& at(std::size_t index) const {
    return *ptr<M>(index);
  }
  const std::shared_ptr<Module>& ptr(std::size_t index) const;
  template <class M>
  std::shared_ptr<M> ptr(std::size_t index) const {
    auto result = std::dynamic_pointer_cast<M>(ptr(index));
    if (!result) cast_error(index, typeid(M));
    return result;
  }
  const std::shared_ptr<Module>& operator[](std::size_t index) const { return ptr(index); }

 private:
  void append(std::shared_ptr<Module> module);
  void insert_at(std::size_t index, std::shared_ptr<Module> module);
  [[noreturn]] static void cast_error(std::size_t index, const std::type_info& wanted);

  std::vector<std::shared_ptr<Module>> modules_;
};
TERN_MODULE(ModuleList);

}  // namespace tern::nn
