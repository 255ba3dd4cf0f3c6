#include <unordered_set>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/base/detail/libtorch.h>
#include <tern/nn/detail/container_clone.h>
#include <tern/nn/detail/family.h>
#include <tern/nn/detail/module_walk.h>
#include <tern/nn/detail/parameters.h>
#include <tern/nn/detail/printed_type.h>
#include <tern/nn/module.h>
#include <tern/nn/module_holder.h>

namespace tern::nn {

Module::Module() : Module(std::string()) {}
Module::Module(std::string name)
    : parameters_("Parameter"),
      children_("Submodule"),
      buffers_("Buffer"),
      name_(std::move(name)) {}
// NOLINTNEXTLINE(bugprone-copy-constructor-init): no shared_ptr owns the copy yet.
Module::Module(const Module& other)
    : ModuleHooks(other),
      std::enable_shared_from_this<Module>(),
      parameters_(other.parameters_),
      children_(other.children_),
      buffers_(other.buffers_),
      is_training_(other.is_training_),
      name_(other.name_),
      family_(other.family_) {}

Module& Module::operator=(const Module& other) {
  if (this == &other) return *this;
  ModuleHooks::operator=(other);
  // The children get another possible parent. A module without any is only read.
  if (!other.children_.is_empty()) detail::unite(family_, other.family_);
  parameters_ = other.parameters_;
  children_ = other.children_;
  buffers_ = other.buffers_;
  members_ = other.members_;
  links_.note_change();
  is_training_ = other.is_training_;
  name_ = other.name_;
  return *this;
}

Module::~Module() { release_children(); }

/// Frees a deep tree without recursion: each freed module hands its submodules to the loop of the
/// outermost freed module.
void Module::release_children() noexcept {
  using Modules = std::vector<std::shared_ptr<Module>>;
  static constinit thread_local Modules* pending = nullptr;
  const auto hand_over = [this](Modules& modules) {
    try {
      for (auto& [name, child] : children_) {
        const bool is_last = child.use_count() == 1;
        if (is_last && !child->children_.is_empty()) modules.push_back(std::move(child));
      }
    } catch (const std::bad_alloc&) {
      // The remaining modules are freed with children_, recursively.
    }
  };
  if (pending != nullptr) return hand_over(*pending);
  Modules modules;
  hand_over(modules);
  pending = &modules;
  while (!modules.empty()) {
    std::shared_ptr<Module> module = std::move(modules.back());
    modules.pop_back();
    module.reset();
  }
  pending = nullptr;
}

std::string Module::name() const {
  return name_.empty() ? detail::printed_type(typeid(*this)) : name_;
}

// --- Registration --------------------------------------------------------------------------------

void Module::check_name(const char* kind, const std::string& name) const {
  TERN_CHECK(!name.empty(), Error, kind, " name must not be empty");
  TERN_CHECK(name.find('.') == std::string::npos, Error, kind,
             " name must not contain a dot (got '", name, "')");
  const char* taken_by = parameters_.contains(name) ? "Parameter"
                         : buffers_.contains(name)  ? "Buffer"
                         : children_.contains(name) ? "Submodule"
                                                    : nullptr;
  TERN_CHECK(taken_by == nullptr, Error, taken_by, " '", name, "' already defined");
}

Tensor& Module::register_parameter(std::string name, Tensor tensor, StrictBool requires_grad) {
  check_name("Parameter", name);
  check_leaf(name, tensor);
  detail::set_requires_grad(name, tensor, requires_grad);
  return parameters_.insert(std::move(name), std::move(tensor));
}

Tensor& Module::register_buffer(std::string name, Tensor tensor, StrictBool persistent) {
  check_name("Buffer", name);
  return buffers_.insert(std::move(name), {std::move(tensor), persistent}).tensor;
}

void Module::check_child(const std::string& name, const Module* module) const {
  TERN_CHECK(module != nullptr, Error, "Submodule '", name, "' is empty: it holds no module");
  if (module != this && !detail::may_be_below(family_, module->family_)) return;
  ModuleWalk::modules(*module, [&](const std::string& path, const Module& below) {
    TERN_CHECK(&below != this, Error, "Submodule '", name,
               "' cannot be registered, because it contains this module itself",
               path.empty() ? "" : " as '", path, path.empty() ? "" : "'");
  });
}

const std::string& Module::add_child(std::string name, std::shared_ptr<Module> module) {
  check_name("Submodule", name);
  check_child(name, module.get());
  detail::unite(family_, module->family_);
  children_.insert(std::move(name), std::move(module));
  return children_.back().key();
}

const std::string& Module::register_child(std::string name, std::shared_ptr<Module> module) {
  check_not_container("register_module", "push_back() or insert()");
  return add_child(std::move(name), std::move(module));
}

/// Throws for a container, whose own entries the function would not change.
void Module::check_not_container(const char* function, const char* cure) const {
  TERN_CHECK(!detail::is_container(*this), Error, name(), ": ", function,
             "() would not change the modules that the container runs or returns; use ", cure);
}

void Module::unregister_module(const std::string& name) {
  check_not_container("unregister_module", "pop()");
  TERN_CHECK(children_.contains(name), IndexError, "No Module with name `", name,
             "` is registered");
  children_.erase(name);
  links_.clear(name);
}

// --- Registered entries --------------------------------------------------------------------------

std::vector<Tensor> Module::parameters(StrictBool recurse) const {
  if (tern::detail::as_libtorch) return named_parameters(recurse).values();
  std::vector<Tensor> result;
  ModuleWalk::parameters(*this, recurse, [&](const Tensor& t) { result.push_back(t); });
  return result;
}

Module::NamedTensors Module::named_parameters(StrictBool recurse) const {
  NamedTensors result;
  const auto insert = [&](const std::string& path, const Tensor& t) { result.insert(path, t); };
  if (tern::detail::as_libtorch) {
    ModuleWalk::every_parameter(*this, recurse, insert);
  } else {
    ModuleWalk::parameters(*this, recurse, insert);
  }
  return result;
}

std::vector<Tensor> Module::buffers(StrictBool recurse) const {
  if (tern::detail::as_libtorch) return named_buffers(recurse).values();
  std::vector<Tensor> result;
  ModuleWalk::buffers(*this, recurse, [&](const Tensor& t) { result.push_back(t); });
  return result;
}

Module::NamedTensors Module::named_buffers(StrictBool recurse) const {
  NamedTensors result;
  const auto insert = [&](const std::string& path, const Tensor& t) { result.insert(path, t); };
  if (tern::detail::as_libtorch) {
    ModuleWalk::every_buffer(*this, recurse, insert);
  } else {
    ModuleWalk::buffers(*this, recurse, insert);
  }
  return result;
}

std::shared_ptr<Module> detail::own_module(Module* module) {
  return std::shared_ptr<Module>(module);
}

std::shared_ptr<Module> Module::shared_self() const {
  const std::shared_ptr<const Module> self = weak_from_this().lock();
  TERN_CHECK(
      self != nullptr, Error,
      "It looks like you attempted to retrieve your top-level module as a shared_ptr, but "
      "it is not stored in a shared_ptr. Use std::make_shared<",
      name(),
      "> instead of creating your module on the stack, or alternatively do not try to access "
      "your top-level module at all by passing /*include_self=*/false to modules() or "
      "named_modules()");
  return std::const_pointer_cast<Module>(self);
}

Module::NamedModules Module::named_modules(const std::string& name_prefix,
                                           StrictBool include_self) const {
  NamedModules result;
  if (include_self) result.insert(name_prefix, shared_self());
  const auto insert = [&](const std::string& path, const Module& module) {
    if (&module == this) return;
    result.insert(ModuleWalk::join(name_prefix, path),
                  std::const_pointer_cast<Module>(module.shared_from_this()));
  };
  if (tern::detail::as_libtorch) {
    ModuleWalk::paths(*this, insert);
  } else {
    ModuleWalk::modules(*this, insert);
  }
  return result;
}

std::vector<std::shared_ptr<Module>> Module::modules(StrictBool include_self) const {
  if (tern::detail::as_libtorch) return named_modules(std::string(), include_self).values();
  std::vector<std::shared_ptr<Module>> result;
  if (include_self) result.push_back(shared_self());
  ModuleWalk::each(*this, [&](const Module& module) {
    if (&module == this) return;
    result.push_back(std::const_pointer_cast<Module>(module.shared_from_this()));
  });
  return result;
}

Module::NamedModules Module::named_children() const {
  if (tern::detail::as_libtorch) return children_;
  NamedModules result("Submodule");
  std::unordered_set<const Module*> seen;
  for (const auto& [name, child] : children_) {
    if (seen.insert(child.get()).second) result.insert(name, child);
  }
  return result;
}

std::vector<std::shared_ptr<Module>> Module::children() const { return named_children().values(); }

// --- Access by path ------------------------------------------------------------------------------

std::shared_ptr<Module> Module::get_submodule(const std::string& path) const {
  if (path.empty()) return shared_self();
  const Module* module = this;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string name = path.substr(begin, end - begin);
    module->check_has(name);
    const std::shared_ptr<Module>* const child = module->children_.find(name);
    TERN_CHECK(child != nullptr, Error, "`", name, "` is not an nn.Module");
    if (end == path.size()) return *child;
    module = child->get();
    begin = end + 1;
  }
  return nullptr;
}

/// Throws unless something is registered under the name.
void Module::check_has(const std::string& name) const {
  if (parameters_.contains(name) || buffers_.contains(name) || children_.contains(name)) return;
  std::vector<std::string_view> known;
  for (const auto& [key, parameter] : parameters_) known.emplace_back(key);
  for (const auto& [key, buffer] : buffers_) known.emplace_back(key);
  for (const auto& [key, child] : children_) known.emplace_back(key);
  tern::detail::raise<Error>(detail::type_of_holder(*this), " has no attribute `", name, "`; ",
                             tern::detail::text_of_keys(name, known));
}

namespace {

/// Splits the path of a tensor. Returns the module, and its name in the module.
std::pair<const Module*, std::string> owner_of(const Module& root, const std::string& path,
                                               std::shared_ptr<Module>& keep) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos) return {&root, path};
  keep = root.get_submodule(path.substr(0, dot));
  return {keep.get(), path.substr(dot + 1)};
}

}  // namespace

Tensor Module::get_parameter(const std::string& path) const {
  std::shared_ptr<Module> keep;
  const auto [module, name] = owner_of(*this, path, keep);
  module->check_has(name);
  const Tensor* const parameter = module->parameters_.find(name);
  TERN_CHECK(parameter != nullptr && parameter->defined(), Error, "`", name,
             "` is not an nn.Parameter");
  return *parameter;
}

Tensor Module::get_buffer(const std::string& path) const {
  std::shared_ptr<Module> keep;
  const auto [module, name] = owner_of(*this, path, keep);
  module->check_has(name);
  const Buffer* const buffer = module->buffers_.find(name);
  TERN_CHECK(buffer != nullptr, Error, "`", name, "` is not a buffer");
  return buffer->tensor;
}

// --- Modes and gradients -------------------------------------------------------------------------

/// Calls on_container(module) for the containers and on_module(module) for the other modules that
/// are registered here or in such a container. A loop, because recursion through containers would
/// take stack.
template <class OnContainer, class OnModule>
void Module::each_child(const OnContainer& on_container, const OnModule& on_module) {
  if (children_.is_empty()) return;
  std::vector<std::pair<const NamedModules*, std::size_t>> open = {{&children_, 0}};
  while (!open.empty()) {
    auto& [children, next] = open.back();
    if (next == children->size()) {
      open.pop_back();
      continue;
    }
    Module& child = *(*children)[next++].value();
    if (detail::is_container(child)) {
      on_container(child);
      open.emplace_back(&child.children_, 0);
    } else {
      on_module(child);
    }
  }
}

// train() and zero_grad() call the functions of the submodules, which may override them.

void Module::train(bool on) {
  is_training_ = on;
  each_child([&](Module& container) { container.is_training_ = on; },
             [&](Module& module) { module.train(on); });
}

void Module::zero_grad(bool set_to_none) {
  each_child([](Module&) {}, [&](Module& module) { module.zero_grad(set_to_none); });
  ModuleWalk::parameters(*this, /*recurse=*/false, [&](const Tensor& parameter) {
    Tensor& grad = parameter.mutable_grad();
    if (!grad.defined()) return;
    if (set_to_none) {
      grad.reset();
    } else {
      grad = grad.detach();
      grad.zero_();
    }
  });
}

Module& Module::requires_grad_(StrictBool requires_grad) {
  for (Tensor& parameter : parameters()) parameter.requires_grad_(requires_grad);
  return *this;
}

}  // namespace tern::nn
