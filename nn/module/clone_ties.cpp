#include <string>
#include <typeinfo>
#include <unordered_map>
#include <vector>

#include <tern/core/autograd/grad_mode.h>
#include <tern/nn/containers/parameter_dict.h>
#include <tern/nn/containers/parameter_list.h>
#include <tern/nn/detail/clone_ties.h>
#include <tern/nn/detail/module_walk.h>
#include <tern/nn/detail/parameters.h>
#include <tern/nn/detail/parametrized.h>
#include <tern/nn/module/lazy_tensor.h>
#include <tern/nn/utils/parametrize.h>

namespace tern::nn::detail {
namespace {

/// A registered tensor of the copy.
struct Entry {
  const Tensor& source;  // the original's
  Tensor& registered;
  BoundMember* member;  // null if no data member is bound to it
  bool is_fixed;        // a data member that is not bound may hold it
  std::string name;

  void set(const Tensor& tensor) const {
    registered = tensor;
    if (member == nullptr) return;
    member->registered = tensor.unsafeGetTensorImpl();
    if (!member->is_parametrized) *member->tensor = tensor;
  }
};

/// Returns true for modules that find their tensors by name alone.
bool only_registers(const Module& module) {
  const std::type_info& type = typeid(module);
  return type == typeid(ParameterListImpl) || type == typeid(ParameterDictImpl) ||
         type == typeid(utils::parametrize::ParametrizationListImpl);
}

std::vector<Entry> entries_of(const Module& original, Module& copy) {
  std::vector<Entry> entries;
  Module* module = nullptr;
  const auto on_module = [&](const Module&, Module& next) { module = &next; };
  const auto on_tensor = [&](const std::string& name, const Tensor& source, Tensor& registered) {
    if (is_lazy(source)) return;
    BoundMember* const member = ParametrizedMembers::member(*module, name);
    const bool has_members = !only_registers(*module);
    entries.push_back({source, registered, member, member == nullptr && has_members, name});
  };
  ModuleWalk::pairs(original, copy, on_module, on_tensor, on_tensor);
  return entries;
}

}  // namespace

void match_ties(const Module& original, Module& copy, const std::optional<Device>& device) {
  const NoGradGuard no_grad;
  std::unordered_map<const TensorImpl*, Tensor> copies;         // by tensor of the original
  std::unordered_map<const TensorImpl*, const Tensor*> owners;  // by tensor of the copy
  const std::vector<Entry> entries = entries_of(original, copy);
  for (const bool fixed : {true, false}) {
    for (const Entry& entry : entries) {
      if (entry.is_fixed != fixed) continue;
      const auto [copied, is_first] =
          copies.try_emplace(entry.source.unsafeGetTensorImpl(), entry.registered);
      if (!is_first) {
        if (!fixed && !entry.registered.is_same(copied->second)) entry.set(copied->second);
        continue;
      }
      const auto [owner, is_free] =
          owners.try_emplace(entry.registered.unsafeGetTensorImpl(), &entry.source);
      if (is_free) continue;
      TERN_CHECK(!fixed, Error, "The cloned module ties '", entry.name,
                 "' to another tensor after calling reset(), unlike the original. Register it with "
                 "bind_parameter() or bind_buffer(), or do not tie it inside reset()");
      // Both have the values of this one, which was copied last.
      entry.registered.set_data(clone_leaf(*owner->second, device));
      copied->second = clone_leaf(entry.source, device);
      entry.set(copied->second);
    }
  }
}

}  // namespace tern::nn::detail
