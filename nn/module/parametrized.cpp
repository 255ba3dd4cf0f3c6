#include <tern/nn/detail/parametrized.h>

#include <utility>

#include <tern/nn/containers/module_dict.h>
#include <tern/nn/utils/parametrize.h>

namespace tern::nn::detail {

namespace {

using utils::parametrize::ParametrizationListImpl;

/// The name of the child that holds all parametrizations of a module.
constexpr const char* kChild = "parametrizations";

}  // namespace

void ParametrizedMembers::bind(Module& module, std::vector<Tensor>& outer) {
  if (!module.is_parametrized_) return;
  std::vector<Tensor> values;  // all are computed before the first member changes
  for (const BoundMember& member : module.members_) {
    if (!member.is_parametrized) continue;
    const List list = find(module, member.name);
    TERN_CHECK(list != nullptr, Error, module.name(), ": the parametrizations of '", member.name,
               "' are missing. Remove them with nn::utils::parametrize::remove_parametrizations()");
    values.push_back(list->forward());
  }
  outer.reserve(values.size());
  for (BoundMember& member : module.members_) {
    if (!member.is_parametrized) continue;
    outer.push_back(std::exchange(*member.tensor, std::move(values[outer.size()])));
    member.registered = member.tensor->unsafeGetTensorImpl();
  }
}

void ParametrizedMembers::unbind(Module& module, std::vector<Tensor>& outer) noexcept {
  std::size_t next = 0;
  for (BoundMember& member : module.members_) {
    if (next == outer.size()) break;
    if (!member.is_parametrized) continue;
    *member.tensor = std::move(outer[next++]);
    member.registered = member.tensor->unsafeGetTensorImpl();
  }
}

ParametrizedMembers::List ParametrizedMembers::find(const Module& module, const std::string& name) {
  const std::shared_ptr<Module>* const child = module.children_.find(kChild);
  const auto* const lists = child == nullptr ? nullptr : (*child)->as<ModuleDictImpl>();
  if (lists == nullptr || !lists->contains(name)) return nullptr;
  return std::dynamic_pointer_cast<ParametrizationListImpl>(lists->ptr(name));
}

const Tensor* ParametrizedMembers::registered(const Module& module, const std::string& name,
                                              bool& is_parameter) {
  const Tensor* const parameter = module.parameters_.find(name);
  is_parameter = parameter != nullptr;
  if (is_parameter) return parameter;
  const auto* const buffer = module.buffers_.find(name);
  return buffer == nullptr ? nullptr : &buffer->tensor;
}

BoundMember* ParametrizedMembers::member(Module& module, const std::string& name) {
  for (BoundMember& member : module.members_) {
    if (member.name == name) return &member;
  }
  return nullptr;
}

void ParametrizedMembers::check_member(const Module& module, const std::string& name) {
  module.check_members();
  TERN_CHECK(member(const_cast<Module&>(module), name) != nullptr, Error, "parametrize: '", name,
             "' of ", module.name(),
             " is not bound to a data member, which would hold the computed tensor. Register it "
             "with bind_parameter(\"",
             name, "\", member, tensor)");
}

void ParametrizedMembers::forget(Module& module, const std::string& name) {
  if (module.parameters_.contains(name)) module.parameters_.erase(name);
  if (module.buffers_.contains(name)) module.buffers_.erase(name);
  BoundMember& bound = *member(module, name);
  bound.tensor->reset();
  bound.registered = nullptr;
  bound.is_parametrized = true;
  module.is_parametrized_ = true;
}

void ParametrizedMembers::attach(Module& module, const std::string& name, const List& list) {
  if (!module.children_.contains(kChild)) {
    const auto lists = std::make_shared<ModuleDictImpl>();
    lists->train(module.is_training());
    module.register_module(kChild, lists);
  }
  auto* const lists = module.children_[kChild]->as<ModuleDictImpl>();
  TERN_CHECK(lists != nullptr, Error, "Submodule '", kChild, "' already defined");
  lists->insert(name, list);
  forget(module, name);
}

void ParametrizedMembers::release(Module& module, const std::string& name, const Tensor& tensor,
                                  bool is_parameter) {
  auto* const lists = module.children_[kChild]->as<ModuleDictImpl>();
  if (is_parameter) {
    module.register_parameter(name, tensor, tensor.requires_grad());
  } else {
    module.register_buffer(name, tensor);
  }
  BoundMember& bound = *member(module, name);
  *bound.tensor = tensor;
  bound.registered = tensor.unsafeGetTensorImpl();
  bound.is_parametrized = false;
  lists->pop(name);
  if (!lists->empty()) return;
  module.unregister_module(kChild);
  module.is_parametrized_ = false;
}

void ParametrizedMembers::adopt(Module& to, const Module& from,
                                const std::optional<Device>& device) {
  if (!from.is_parametrized_ || to.is_parametrized_) return;
  const auto copy = from.children_[kChild]->clone(device);
  for (const std::string& name : copy->as<ModuleDictImpl>()->keys()) {
    if (member(to, name) == nullptr) return;  // check_count() reports the difference
  }
  for (const std::string& name : copy->as<ModuleDictImpl>()->keys()) forget(to, name);
  to.register_module(kChild, copy);
}

}  // namespace tern::nn::detail
