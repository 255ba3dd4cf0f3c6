#include <tern/nn/containers/sequential.h>
#include <tern/nn/detail/check_index.h>
#include <tern/nn/detail/container_clone.h>
#include <tern/nn/detail/module_walk.h>

#include <iterator>

namespace tern::nn {

template class Cloneable<SequentialImpl>;

// NOLINTNEXTLINE(performance-unnecessary-value-param): its modules are moved.
SequentialImpl::SequentialImpl(OrderedDict<std::string, AnyModule> modules) {
  for (auto& [name, module] : modules) push_back(name, std::move(module));
}

SequentialImpl::SequentialImpl(std::initializer_list<NamedAnyModule> modules) {
  for (const NamedAnyModule& module : modules) push_back(module);
}

std::shared_ptr<Module> SequentialImpl::clone(const std::optional<Device>& device) const {
  return detail::ContainerCloner(device).run(*this);
}

void SequentialImpl::append_clones(const SequentialImpl& from, detail::ContainerCloner& cloner) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    AnyModule module = from.modules_[i];
    module.module_ = {cloner.clone(*module.module_), module.module_.any_forward()};
    push_back(from.children_[i].key(), std::move(module));
  }
}

void SequentialImpl::pretty_print(std::ostream& stream) const { stream << "tern::nn::Sequential"; }

void SequentialImpl::push_back(AnyModule module) {
  push_back(std::to_string(modules_.size()), std::move(module));
}

void SequentialImpl::push_back(std::string name, AnyModule module) {
  add_child(std::move(name), module.ptr());
  modules_.push_back(std::move(module));
}

void SequentialImpl::check_numbered(const char* function) const {
  for (std::size_t i = 0; i < size(); ++i) {
    TERN_CHECK(children_[i].key() == std::to_string(i), Error, "Sequential: ", function,
               "() gives the modules numbers as names, but module ", i, " has the name '",
               children_[i].key(), "'");
  }
}

/// Registers `modules` in the place of all others.
void SequentialImpl::renumber(std::vector<AnyModule> modules) {
  children_.clear();
  modules_ = std::move(modules);
  for (std::size_t i = 0; i < size(); ++i) {
    children_.insert(std::to_string(i), modules_[i].ptr());
  }
}

void SequentialImpl::insert(Index index, AnyModule module) {
  detail::check_index("Sequential", index, size() + 1, size());
  check_numbered("insert");
  push_back(module);  // checks the module
  std::vector<AnyModule> modules = std::move(modules_);
  modules.pop_back();
  modules.insert(modules.begin() + static_cast<std::ptrdiff_t>(std::size_t{index}),
                 std::move(module));
  renumber(std::move(modules));
}

void SequentialImpl::set(Index index, AnyModule module) {
  checked(index);
  Module::replace_child(children_[std::size_t{index}].key(), module.ptr());
  modules_[index] = std::move(module);
}

void SequentialImpl::replace_child(const std::string& name, std::shared_ptr<Module> module) {
  const std::size_t index = children_.index_of(name);
  if (index < size()) {
    const ContainedModule& old = modules_[index].module_;
    const ContainedModule entry = detail::replacement(old, module);
    TERN_CHECK(entry == nullptr || entry.any_forward() != nullptr, Error,
               "Sequential: replace_module: the module '", name, "' is a ", old->name(),
               ". A module of another type, here ", module->name(), ", replaces it by set(", index,
               ", module)");
    Module::replace_child(name, std::move(module));
    modules_[index].module_ = entry;
  } else {
    Module::replace_child(name, std::move(module));
  }
}

AnyModule SequentialImpl::pop(Index index) {
  AnyModule module = checked(index);
  check_numbered("pop");
  std::vector<AnyModule> modules = std::move(modules_);
  modules.erase(modules.begin() + static_cast<std::ptrdiff_t>(std::size_t{index}));
  renumber(std::move(modules));
  return module;
}

std::shared_ptr<SequentialImpl> SequentialImpl::slice(Index begin, Index end) const {
  auto part = std::make_shared<SequentialImpl>();
  ModuleWalk::set_training(*part, is_training());
  for (std::size_t i = begin; i < size() && i < end; ++i) {
    part->push_back(children_[i].key(), modules_[i]);
  }
  return part;
}

AnyValue SequentialImpl::run(AnyValue* first, std::size_t count) const {
  TERN_CHECK(!is_empty(), Error, "Cannot call forward() on an empty Sequential");
  std::vector<AnyValue> inputs(std::make_move_iterator(first),
                               std::make_move_iterator(first + count));
  for (std::size_t i = 0;; ++i) {
    AnyValue value = modules_[i].call(std::move(inputs));
    if (i + 1 >= size()) return value;  // a hook may have removed modules
    inputs.clear();
    inputs.push_back(std::move(value));
  }
}

const AnyModule& SequentialImpl::checked(std::size_t index) const {
  detail::check_index("Sequential", index, size(), size());
  return modules_[index];
}

Sequential::Sequential(std::initializer_list<NamedAnyModule> modules)
    : ModuleHolder(detail::make_module<SequentialImpl>(modules)) {}

}  // namespace tern::nn
