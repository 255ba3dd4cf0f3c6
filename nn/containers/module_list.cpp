#include <tern/nn/containers/module_list.h>
#include <tern/nn/detail/check_index.h>
#include <tern/nn/detail/container_clone.h>
#include <tern/nn/detail/module_walk.h>
#include <tern/nn/detail/printed_type.h>

namespace tern::nn {

std::shared_ptr<Module> ModuleListImpl::clone(const std::optional<Device>& device) const {
  return detail::ContainerCloner(device).run(*this);
}

void ModuleListImpl::append_clones(const ModuleListImpl& from, detail::ContainerCloner& cloner) {
  for (const auto& module : from.modules_) append({cloner.clone(*module), module.any_forward()});
}

void ModuleListImpl::pretty_print(std::ostream& stream) const { stream << "tern::nn::ModuleList"; }

void ModuleListImpl::append(ContainedModule module) {
  add_child(std::to_string(size()), module);
  modules_.push_back(std::move(module));
}

void ModuleListImpl::insert_at(std::size_t index, ContainedModule module) {
  detail::check_index("ModuleList", index, size() + 1, size());
  append(module);  // checks it
  modules_.pop_back();
  modules_.insert(modules_.begin() + static_cast<std::ptrdiff_t>(index), std::move(module));
  for (std::size_t i = index; i < size(); ++i) children_[std::to_string(i)] = modules_[i];
}

void ModuleListImpl::replace_at(std::size_t index, ContainedModule module) {
  detail::check_index("ModuleList", index, size(), size());
  Module::replace_child(std::to_string(index), module);  // checks it
  modules_[index] = std::move(module);
}

void ModuleListImpl::replace_child(const std::string& name, std::shared_ptr<Module> module) {
  Module::replace_child(name, module);
  const std::size_t index = children_.index_of(name);
  if (index < size()) modules_[index] = detail::replacement(modules_[index], std::move(module));
}

std::shared_ptr<Module> ModuleListImpl::pop(Index index) {
  std::shared_ptr<Module> module = ptr(index);
  modules_.erase(modules_.begin() + static_cast<std::ptrdiff_t>(std::size_t{index}));
  for (std::size_t i = index; i < size(); ++i) children_[std::to_string(i)] = modules_[i];
  children_.erase(std::to_string(size()));
  return module;
}

std::shared_ptr<Module> ModuleListImpl::pop() {
  TERN_CHECK(!is_empty(), IndexError, "ModuleList: pop() of an empty list");
  return pop(size() - 1);
}

std::shared_ptr<ModuleListImpl> ModuleListImpl::slice(Index begin, Index end) const {
  auto list = std::make_shared<ModuleListImpl>();
  ModuleWalk::set_training(*list, is_training());
  for (std::size_t i = begin; i < size() && i < end; ++i) list->append(modules_[i]);
  return list;
}

const ContainedModule& ModuleListImpl::ptr(Index index) const {
  detail::check_index("ModuleList", index, size(), size());
  return modules_[index];
}

void ModuleListImpl::cast_error(std::size_t index, const std::type_info& wanted) const {
  tern::detail::raise<Error>("Unable to cast module[", index, "] to ", detail::printed_type(wanted),
                             ", it is a ", ptr(index)->name(), "; list[", index,
                             "](x) calls a module of any class");
}

}  // namespace tern::nn
