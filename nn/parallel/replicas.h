#pragma once

#include <memory>
#include <vector>

#include <tern/core/tensor/device.h>
#include <tern/nn/module.h>

namespace tern::nn::parallel {

/// Copies of a module on further devices. They are made once, by clone(), and kept: each use only
/// gives them the module's parameters, buffers and training modes of that moment. What a module
/// has beyond these (a plain member that was changed) reaches them when they are made anew.
///
/// The parameters of a copy are results of ops on those of the module, so that backward brings
/// gradients to the module itself, summed over the devices. Its buffers are copies without history:
/// what forward writes into them is lost, as in PyTorch.
class TERN_API Replicas {
 public:
  /// `devices[0]` is where the module itself is. Throws Error for a module that cannot be cloned.
  Replicas(std::shared_ptr<Module> module, std::vector<Device> devices);

  /// The modules for the first `count` devices, up to date; the first one is the module itself.
  /// Throws DeviceError when a tensor of the module is not on `devices[0]`.
  std::vector<std::shared_ptr<Module>> use(std::size_t count);

 private:
  std::shared_ptr<Module> make(Device device) const;

  std::shared_ptr<Module> module_;
  std::vector<Device> devices_;
  std::vector<std::shared_ptr<Module>> copies_;  // for devices_[1] and on
};

}  // namespace tern::nn::parallel
