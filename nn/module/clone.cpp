#include <mutex>
#include <utility>
#include <vector>

#include <tern/core/autograd/grad_mode.h>
#include <tern/nn/detail/clone_ties.h>
#include <tern/nn/detail/lora.h>
#include <tern/nn/detail/module_walk.h>
#include <tern/nn/detail/parametrized.h>
#include <tern/nn/detail/printing.h>
#include <tern/nn/detail/quantized_weight.h>
#include <tern/nn/module.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/module/lazy_tensor.h>

namespace tern::nn {

namespace detail {

RandomStateGuard::RandomStateGuard() {
  const Generator& generator = default_generator(kCPU);
  const std::lock_guard<std::mutex> lock(generator.mutex());
  state_ = generator.state_bytes();
}

RandomStateGuard::~RandomStateGuard() {
  Generator& generator = default_generator(kCPU);
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_state_bytes(state_);
}

}  // namespace detail

std::shared_ptr<Module> Module::clone(const std::optional<Device>& /*device*/) const {
  const std::string type = name();
  tern::detail::raise<NotImplementedError>(
      "clone() has not been implemented for ", type, ". Subclass ", detail::printed_namespace(),
      "::nn::Cloneable<", type, "> instead of ", detail::printed_namespace(),
      "::nn::Module to inherit the ability to clone.");
}

void Module::forget_registered() {
  parameters_.clear();
  buffers_.clear();
  children_.clear();
  members_.clear();
  family_.reset();
}

namespace {

/// Throws unless reset() registered as many entries as the original has.
void check_count(std::size_t copy, std::size_t original, const char* what, const char* function) {
  TERN_CHECK(copy == original, Error, "The cloned module does not have the same number of ", what,
             " as the original module after calling reset(). Are you sure you called ", function,
             "() inside reset() and not the constructor?");
}

void copy_tensor(const std::string& name, const Tensor& target, const Tensor& source,
                 const std::optional<Device>& device) {
  TERN_CHECK(
      target.defined() == source.defined(), Error, "The cloned module ",
      target.defined() ? "has" : "lacks", " the tensor '", name,
      "' after calling reset(), unlike the original. Are you sure that it was replaced inside "
      "reset()?");
  TERN_CHECK(!target.defined() || !target.is_same(source), Error, "The cloned module shares '",
             name,
             "' with the original after calling reset(). Are you sure reset() makes a new tensor?");
  if (!source.defined()) return;
  target.set_data(source.detach().to(device.value_or(source.device()), /*non_blocking=*/false,
                                     /*copy=*/true));
  if (!is_lazy(source)) detail::forget_lazy(target);
  if (target.is_floating_point()) target.set_requires_grad(source.requires_grad());
}

}  // namespace

void Module::copy_from(const Module& other, const std::optional<Device>& device) {
  const NoGradGuard no_grad;
  std::vector<std::pair<Module*, const Module*>> open = {{this, &other}};
  detail::ParametrizedMembers::adopt(*this, other, device);
  detail::adopt_blocks(*this, other);
  detail::adopt_adapters(*this, other, device);
  while (!open.empty()) {
    const auto [to, from] = open.back();
    open.pop_back();
    to->copy_own(*from, device);
    for (const auto& [name, source] : from->children_) {
      const std::shared_ptr<Module>& child = to->children_[name];
      TERN_CHECK(child != source, Error, "The cloned module shares the submodule '", name,
                 "' with the original after calling reset(). Are you sure you called "
                 "register_module() inside reset() with a new module?");
      detail::ParametrizedMembers::adopt(*child, *source, device);
      if (!child->copy_members(*source, device)) open.emplace_back(child.get(), source.get());
    }
  }
  detail::match_ties(other, *this, device);
}

/// Copies `other` with all its data members into this module, which reset() of a parent has made.
/// Returns false, with nothing changed, where this is not possible: then the tensors alone are
/// copied.
bool Module::copy_members(const Module& other, const std::optional<Device>& device) {
  const Assign assign = assignment();
  if (assign == nullptr || typeid(*this) != typeid(other)) return false;
  const std::vector<detail::BoundMember> members(members_.begin(), members_.end());
  if (children_.is_empty() && other.children_.is_empty() &&
      members.size() == parameters_.size() + buffers_.size()) {
    // The module keeps its tensors: they may be tied to others.
    const NamedTensors parameters = parameters_;
    const auto buffers = buffers_;
    assign(*this, other);
    parameters_ = parameters;
    buffers_ = buffers;
    for (const detail::BoundMember& member : members) {
      const Tensor* tensor = parameters_.find(member.name);
      bind(member.name, *member.tensor, tensor ? *tensor : buffers_[member.name].tensor);
    }
    copy_own(other, device);
    return true;
  }
  std::shared_ptr<Module> copy;
  try {
    copy = other.clone(device);
  } catch (const Error&) {  // a module that only its parent can make
    return false;
  }
  if (typeid(*copy) != typeid(*this) || !is_held_like(*copy)) return false;
  assign(*this, *copy);
  for (const detail::BoundMember& member : members) {
    bind(member.name, *member.tensor, *member.tensor);
    members_.back().is_parametrized = member.is_parametrized;
    is_parametrized_ = is_parametrized_ || member.is_parametrized;
  }
  return true;
}

/// Returns true if only this module holds its submodules and the tensors below it: as many others
/// hold them as in `copy`, which nobody else knows. Else they are tied to parts of another module,
/// and must stay.
bool Module::is_held_like(const Module& copy) {
  bool same = true;
  const auto on_tensor = [&](const std::string&, const Tensor& a, const Tensor& b) {
    same = same && a.use_count() == b.use_count();
  };
  const bool has_same_structure = ModuleWalk::pairs(
      copy, *this,
      [&](const Module& a, const Module& b) {
        const bool is_root = &b == this;
        same =
            same && (is_root || a.weak_from_this().use_count() == b.weak_from_this().use_count());
      },
      on_tensor, on_tensor);
  return has_same_structure && same;
}

namespace {

/// Puts the tensors of a copy into the order of the original, which differs from that of reset() if
/// one of them was registered again later.
void match_order(Module::NamedTensors& copy, const Module::NamedTensors& original) {
  std::size_t same = 0;
  while (same < copy.size() && copy[same].key() == original[same].key()) ++same;
  if (same == copy.size()) return;
  Module::NamedTensors ordered("Parameter");
  for (const auto& [name, tensor] : original) ordered.insert(name, copy[name]);
  copy = std::move(ordered);
}

}  // namespace

void Module::copy_own(const Module& other, const std::optional<Device>& device) {
  check_count(parameters_.size(), other.parameters_.size(), "parameters", "register_parameter");
  check_count(buffers_.size(), other.buffers_.size(), "buffers", "register_buffer");
  check_count(children_.size(), other.children_.size(), "child modules", "register_module");
  match_order(parameters_, other.parameters_);
  for (const auto& [name, source] : other.parameters_) {
    copy_tensor(name, parameters_[name], source, device);
  }
  for (const auto& [name, source] : other.buffers_) {
    copy_tensor(name, buffers_[name].tensor, source.tensor, device);
  }
  copy_modes(other);
}

void Module::copy_modes(const Module& other) {
  is_training_ = other.is_training_;
  const bool is_parametrized = is_parametrized_;
  ModuleHooks::operator=(other);
  is_parametrized_ = is_parametrized;
}

}  // namespace tern::nn
