#include <tern/nn/containers/module_dict.h>
#include <tern/nn/containers/module_list.h>
#include <tern/nn/containers/sequential.h>
#include <tern/nn/detail/container_clone.h>

namespace tern::nn::detail {
namespace {

/// Calls fn(container) with the type of the container. Returns false for other modules.
template <class Fn>
bool visit_container(const Module& module, const Fn& fn) {
  const std::type_info& type = typeid(module);
  if (type == typeid(SequentialImpl)) return fn(static_cast<const SequentialImpl&>(module)), true;
  if (type == typeid(ModuleListImpl)) return fn(static_cast<const ModuleListImpl&>(module)), true;
  if (type == typeid(ModuleDictImpl)) return fn(static_cast<const ModuleDictImpl&>(module)), true;
  return false;
}

}  // namespace

bool is_container(const Module& module) {
  return visit_container(module, [](const auto&) {});
}

ContainedModule replacement(const ContainedModule& old, std::shared_ptr<Module> module) {
  const Module* const now = module.get();
  const bool is_same_class = now != nullptr && old != nullptr && typeid(*old) == typeid(*now);
  return {std::move(module), is_same_class ? old.any_forward() : nullptr};
}

std::shared_ptr<Module> ContainerCloner::clone(const Module& module) {
  std::shared_ptr<Module>& copy = copies_[&module];
  if (copy) return copy;
  visit_container(module, [&]<class Container>(const Container& container) {
    copy = std::make_shared<Container>();
    open_.emplace_back(&container, copy.get());
  });
  if (!copy) copy = module.clone(device_);
  return copy;
}

void ContainerCloner::fill_all() {
  while (!open_.empty()) {
    const auto [from, to] = open_.back();
    open_.pop_back();
    // Uses the type of the copy: the root's class may be derived from it.
    visit_container(*to, [&, from = from, to = to]<class Container>(const Container&) {
      Container& copy = static_cast<Container&>(*to);
      copy.append_clones(static_cast<const Container&>(*from), *this);
      copy.copy_modes(*from);
    });
  }
}

}  // namespace tern::nn::detail
