#include <tern/nn/detail/family.h>
#include <tern/nn/detail/parameters.h>
#include <tern/nn/module.h>

// Data members that are bound to registered tensors.

namespace tern::nn {

void Module::member_error(const detail::BoundMember& member) const {
  TERN_CHECK(!member.is_parametrized, Error, name(), ": the member '", member.name,
             "' is parametrized and cannot be assigned. To change its value, use "
             "nn::utils::parametrize::parametrization_list(module, \"",
             member.name, "\")->right_inverse(value)");
  const bool is_parameter = parameters_.contains(member.name);
  const auto text = [](const Tensor* tensor) {
    if (tensor == nullptr || !tensor->defined()) return std::string("an undefined tensor");
    return tern::detail::text_of("a ", tensor->scalar_type(), " tensor of size ", tensor->sizes());
  };
  const Tensor* registered = parameters_.find(member.name);
  if (const Buffer* buffer = buffers_.find(member.name)) registered = &buffer->tensor;
  const char* const kind = is_parameter ? "parameter" : "buffer";
  tern::detail::raise<Error>(
      name(), ": the member '", member.name, "' was assigned ", text(member.tensor),
      ", but the registered ", kind, " is another tensor, ", text(registered),
      ". The module would compute with the assigned tensor, but train and save the registered "
      "tensor. To change the elements, use copy_() under NoGradGuard; to change the tensor, use "
      "set_data() or replace_",
      kind, "(\"", member.name, "\", tensor)");
}

void Module::bind(const std::string& name, Tensor& member, const Tensor& tensor) {
  members_.push_back({&member, tensor.unsafeGetTensorImpl(), name});
  member = tensor;
}

void Module::bind_parameter(const std::string& name, Tensor& member, Tensor tensor,
                            StrictBool requires_grad) {
  bind(name, member, register_parameter(name, std::move(tensor), requires_grad));
}

void Module::bind_buffer(const std::string& name, Tensor& member, Tensor tensor,
                         StrictBool persistent) {
  bind(name, member, register_buffer(name, std::move(tensor), persistent));
}

void Module::rebind(const std::string& name, const Tensor& tensor) {
  for (detail::BoundMember& member : members_) {
    if (member.name != name) continue;
    member.registered = tensor.unsafeGetTensorImpl();
    *member.tensor = tensor;
  }
}

void Module::check_leaf(const std::string& name, const Tensor& parameter) {
  TERN_CHECK(!parameter.defined() || parameter.is_leaf(), Error,
             "Cannot assign non-leaf Tensor to parameter '", name,
             "'. Model parameters must be created explicitly. To express '", name,
             "' as a function of another Tensor, compute the value in the forward() method.");
}

Tensor& Module::replace_parameter(const std::string& name, Tensor tensor,
                                  StrictBool requires_grad) {
  Tensor& registered = parameters_[name];
  check_leaf(name, tensor);
  detail::set_requires_grad(name, tensor, requires_grad);
  registered = std::move(tensor);
  rebind(name, registered);
  return registered;
}

Tensor& Module::replace_buffer(const std::string& name, Tensor tensor) {
  Tensor& registered = buffers_[name].tensor;
  registered = std::move(tensor);
  rebind(name, registered);
  return registered;
}

// --- Modules -------------------------------------------------------------------------------------

namespace {

std::string text_of_module(const Module* module) {
  return module == nullptr ? "no module" : "a " + module->name();
}

}  // namespace

void Module::check_links() const {
  links_.note_change(false);
  for (const detail::MemberLinks::Link& link : links_.all()) {
    const std::shared_ptr<Module>* registered = children_.find(link.name);
    if (!link.is_member || registered == nullptr) continue;
    const Module* assigned = link.access->module_of(*link.holder);
    if (assigned == registered->get()) continue;
    links_.note_change();
    tern::detail::raise<Error>(
        name(), ": the member '", link.name, "' was assigned ", text_of_module(assigned),
        ", but the registered submodule is another module, ", text_of_module(registered->get()),
        ". The module would compute with the assigned module, but train and save the registered "
        "module. To replace both, use replace_module(\"",
        link.name, "\", module)");
  }
}

void Module::replace_child(const std::string& name, std::shared_ptr<Module> module) {
  std::shared_ptr<Module>& slot = children_[name];
  check_child(name, module.get());
  for (const bool commit : {false, true}) {
    for (const detail::MemberLinks::Link& link : links_.all()) {
      if (!link.is_member || link.name != name) continue;
      if (link.access->set == nullptr) {
        links_.note_change();
        continue;
      }
      TERN_CHECK(link.access->set(*link.holder, module, commit), Error, this->name(),
                 ": replace_module: the member '", name, "' is a holder of ",
                 text_of_module(slot.get()), " and cannot hold ", text_of_module(module.get()));
    }
  }
  detail::unite(family_, module->family_);
  slot = std::move(module);
}

}  // namespace tern::nn
