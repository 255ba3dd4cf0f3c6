#include <mutex>
#include <utility>
#include <vector>

#include <tern/core/autograd/grad_mode.h>
#include <tern/nn/module.h>
#include <tern/nn/module/cloneable.h>

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
      "clone() has not been implemented for ", type, ". Subclass tern::nn::Cloneable<", type,
      "> instead of tern::nn::Module to inherit the ability to clone.");
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
  TERN_CHECK(target.defined() == source.defined() && !(target.defined() && target.is_same(source)),
             Error, "The cloned module shares '", name,
             "' with the original after calling reset(). Are you sure reset() makes a new tensor?");
  if (!source.defined()) return;
  target.set_data(source.detach().to(device.value_or(source.device()), /*non_blocking=*/false,
                                     /*copy=*/true));
  if (target.is_floating_point()) target.set_requires_grad(source.requires_grad());
}

}  // namespace

void Module::copy_from(const Module& other, const std::optional<Device>& device) {
  const NoGradGuard no_grad;
  std::vector<std::pair<Module*, const Module*>> open = {{this, &other}};
  while (!open.empty()) {
    const auto [to, from] = open.back();
    open.pop_back();
    to->copy_own(*from, device);
    for (const auto& [name, source] : from->children_) {
      const std::shared_ptr<Module>& child = to->children_[name];
      TERN_CHECK(child != source, Error, "The cloned module shares the submodule '", name,
                 "' with the original after calling reset(). Are you sure you called "
                 "register_module() inside reset() with a new module?");
      open.emplace_back(child.get(), source.get());
    }
  }
}

void Module::copy_own(const Module& other, const std::optional<Device>& device) {
  check_count(parameters_.size(), other.parameters_.size(), "parameters", "register_parameter");
  check_count(buffers_.size(), other.buffers_.size(), "buffers", "register_buffer");
  check_count(children_.size(), other.children_.size(), "child modules", "register_module");
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
  hooks_ = other.hooks_;
  next_hook_ = other.next_hook_;
}

}  // namespace tern::nn
