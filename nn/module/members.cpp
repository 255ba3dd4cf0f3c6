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
    return tern::detail::text_of("a ", tensor->dtype(), " tensor of size ", tensor->sizes());
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

Tensor& Module::replace_parameter(const std::string& name, Tensor tensor,
                                  StrictBool requires_grad) {
  Tensor& registered = parameters_[name];
  if (tensor.defined()) tensor.requires_grad_(requires_grad);
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

}  // namespace tern::nn
