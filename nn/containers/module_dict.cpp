#include <tern/nn/containers/module_dict.h>
#include <tern/nn/detail/container_clone.h>
#include <tern/nn/detail/printed_type.h>

namespace tern::nn {

ModuleDictImpl::ModuleDictImpl() = default;

ModuleDictImpl::ModuleDictImpl(std::initializer_list<NamedModule> modules) { update(modules); }

void ModuleDictImpl::update(std::initializer_list<NamedModule> modules) { update<>(modules); }

void ModuleDictImpl::clear() {
  children_.clear();
  modules_.clear();
}

std::size_t ModuleDictImpl::size() const noexcept { return children_.size(); }

bool ModuleDictImpl::empty() const noexcept { return children_.is_empty(); }

bool ModuleDictImpl::is_empty() const noexcept { return children_.is_empty(); }

bool ModuleDictImpl::contains(const std::string& key) const noexcept {
  return children_.contains(key);
}

std::vector<std::string> ModuleDictImpl::keys() const { return children_.keys(); }

std::vector<std::shared_ptr<Module>> ModuleDictImpl::values() const { return children_.values(); }

ModuleDictImpl::Pairs ModuleDictImpl::items() const { return {begin(), end()}; }

ModuleDictImpl::ConstIterator ModuleDictImpl::begin() const { return modules_.begin(); }

ModuleDictImpl::ConstIterator ModuleDictImpl::end() const { return modules_.end(); }

std::shared_ptr<Module> ModuleDictImpl::clone(const std::optional<Device>& device) const {
  return detail::ContainerCloner(device).run(*this);
}

void ModuleDictImpl::append_clones(const ModuleDictImpl& from, detail::ContainerCloner& cloner) {
  for (const auto& [key, module] : from.modules_) {
    put(key, {cloner.clone(*module), module.any_forward()});
  }
}

void ModuleDictImpl::pretty_print(std::ostream& stream) const { stream << "tern::nn::ModuleDict"; }

void ModuleDictImpl::put(const std::string& key, ContainedModule module) {
  if (ContainedModule* const old = modules_.find(key)) {
    Module::replace_child(key, module);
    *old = std::move(module);
  } else {
    add_child(key, module);
    modules_.insert(key, std::move(module));
  }
}

void ModuleDictImpl::replace_child(const std::string& name, std::shared_ptr<Module> module) {
  Module::replace_child(name, module);
  ContainedModule* const old = modules_.find(name);
  if (old != nullptr) *old = detail::replacement(*old, std::move(module));
}

std::shared_ptr<Module> ModuleDictImpl::pop(const std::string& key) {
  std::shared_ptr<Module> module = ptr(key);
  children_.erase(key);
  modules_.erase(key);
  return module;
}

const ContainedModule& ModuleDictImpl::ptr(const std::string& key) const { return modules_[key]; }

void ModuleDictImpl::cast_error(const std::string& key, const std::type_info& wanted) const {
  tern::detail::raise<Error>("Unable to cast module[", key, "] to ", detail::printed_type(wanted),
                             ", it is a ", ptr(key)->name(), "; dict[\"", key,
                             "\"](x) calls a module of any class");
}

ModuleDict::ModuleDict(std::initializer_list<NamedModule> modules)
    : ModuleHolder(detail::make_module<ModuleDictImpl>(modules)) {}

}  // namespace tern::nn
