#include <tern/core/base/detail/type_name.h>
#include <tern/nn/containers/module_list.h>
#include <tern/nn/detail/check_index.h>
#include <tern/nn/detail/container_clone.h>

namespace tern::nn {

std::shared_ptr<Module> ModuleListImpl::clone(const std::optional<Device>& device) const {
  return detail::ContainerCloner(device).run(*this);
}

void ModuleListImpl::append_clones(const ModuleListImpl& from, detail::ContainerCloner& cloner) {
  for (const auto& module : from.modules_) append(cloner.clone(*module));
}

void ModuleListImpl::pretty_print(std::ostream& stream) const { stream << "tern::nn::ModuleList"; }

void ModuleListImpl::append(std::shared_ptr<Module> module) {
  register_module(std::to_string(size()), module);
  modules_.push_back(std::move(module));
}

void ModuleListImpl::insert_at(std::size_t index, std::shared_ptr<Module> module) {
  detail::check_index("ModuleList", index, size() + 1, size());
  append(module);  // checks it
  modules_.pop_back();
  modules_.insert(modules_.begin() + static_cast<std::ptrdiff_t>(index), std::move(module));
  for (std::size_t i = index; i < size(); ++i) children_[std::to_string(i)] = modules_[i];
}

const std::shared_ptr<Module>& ModuleListImpl::ptr(Index index) const {
  detail::check_index("ModuleList", index, size(), size());
  return modules_[index];
}

void ModuleListImpl::cast_error(std::size_t index, const std::type_info& wanted) {
  tern::detail::raise<Error>("Unable to cast module[", index, "] to ",
                             tern::detail::type_name(wanted));
}

}  // namespace tern::nn
