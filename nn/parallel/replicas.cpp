#include <tern/nn/parallel/replicas.h>

#include <unordered_map>
#include <utility>

#include <tern/core/autograd/detail/meta.h>
#include <tern/nn/detail/module_walk.h>
#include <tern/nn/module/lazy_tensor.h>

namespace tern::nn::parallel {
namespace {

void check_home(const Module& module, Device home) {
  const auto check = [&](const std::string& name, const Tensor& tensor) {
    TERN_CHECK(!is_lazy(tensor), Error,
               "Modules with uninitialized parameters can't be used with `DataParallel`. Run a "
               "dummy forward pass to correctly initialize the modules ('",
               name, "')");
    TERN_CHECK(tensor.device() == home, DeviceError,
               "module must have its parameters and buffers on device ", home,
               " (device_ids[0]) but found one of them on device: ", tensor.device(), " ('", name,
               "')");
  };
  ModuleWalk::parameters(module, true, check);
  ModuleWalk::buffers(module, true, check);
}

/// Gives `slot` the elements and the autograd history of `tensor`. Earlier graphs keep the slot's
/// old value.
void assign(const Tensor& slot, const Tensor& tensor) {
  const autograd::Edge edge = autograd::gradient_edge(tensor);
  Tensor(slot).detach_();
  slot.set_data(tensor.detach());
  if (edge.function) autograd::set_history(slot, edge.function, edge.input_nr);
}

/// Updates the tensors and training modes of `copy` from `module`. Returns false if their
/// structures differ, because the module was changed after the copy was made.
bool update(const Module& module, Module& copy, Device device) {
  std::unordered_map<const void*, Tensor> moved;  // tied tensors move once
  const auto move = [&](const std::string&, const Tensor& from, const Tensor& to) {
    Tensor& tensor = moved[from.unsafeGetTensorImpl()];
    if (!tensor.defined()) tensor = from.to(device);
    assign(to, tensor);
  };
  return ModuleWalk::pairs(
      module, copy,
      [](const Module& a, Module& b) { ModuleWalk::set_training(b, a.is_training()); }, move, move);
}

}  // namespace

Replicas::Replicas(std::shared_ptr<Module> module, std::vector<Device> devices)
    : module_(std::move(module)), devices_(std::move(devices)) {
  for (std::size_t i = 1; i < devices_.size(); ++i) copies_.push_back(make(devices_[i]));
}

std::shared_ptr<Module> Replicas::make(Device device) const {
  std::shared_ptr<Module> copy = module_->clone(device);
  copy->requires_grad_(false);
  return copy;
}

std::vector<std::shared_ptr<Module>> Replicas::use(std::size_t count) {
  check_home(*module_, devices_[0]);
  std::vector<std::shared_ptr<Module>> modules = {module_};
  for (std::size_t i = 1; i < count; ++i) {
    std::shared_ptr<Module>& copy = copies_[i - 1];
    if (!update(*module_, *copy, devices_[i])) {
      copy = make(devices_[i]);
      update(*module_, *copy, devices_[i]);
    }
    modules.push_back(copy);
  }
  return modules;
}

}  // namespace tern::nn::parallel
