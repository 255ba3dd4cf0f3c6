#pragma once

#include <memory>
#include <vector>

#include <tern/core/tensor/device.h>
#include <tern/nn/module.h>

namespace tern::nn::parallel {

/// Copies of a module on further devices.
///
/// clone() makes the copies once. Each use() updates their parameters, buffers and training modes
/// from the module, but not their plain data members. The tensors of a copy are results of ops on
/// the module's tensors, so backward accumulates the gradients of all devices in the module itself.
/// As in PyTorch, changes of forward to the buffers of a copy are lost.
class TERN_API Replicas {
 public:
  /// Prepares copies for `devices`; the module itself is on `devices[0]`. Throws Error for a module
  /// that cannot be cloned.
  Replicas(std::shared_ptr<Module> module, std::vector<Device> devices);

  /// Returns up-to-date modules for the first `count` devices; the first is the module itself.
  /// Throws DeviceError if a tensor of the module is not on `devices[0]`.
  std::vector<std::shared_ptr<Module>> use(std::size_t count);

 private:
  std::shared_ptr<Module> make(Device device) const;

  std::shared_ptr<Module> module_;
  std::vector<Device> devices_;
  std::vector<std::shared_ptr<Module>> copies_;  // for devices_[1] and later
};

}  // namespace tern::nn::parallel
