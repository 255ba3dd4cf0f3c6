#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <tern/core/base/error.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/parallel/parallel_apply.h>
#include <tern/nn/parallel/replicas.h>
#include <tern/nn/parallel/scatter_gather.h>

namespace tern::nn {

/// A list of devices. Each item is a name, the number of a CUDA device, or a Device: {0, 1},
/// {"cuda:0", "cuda:1"}. An empty list means all CUDA devices.
class DeviceIds {
 public:
  /// Lists all CUDA devices.
  DeviceIds() = default;
  /// Lists these devices.
  DeviceIds(std::initializer_list<Device> devices) : devices_(devices) {}
  DeviceIds(std::initializer_list<int> ordinals) {
    for (int ordinal : ordinals) devices_.emplace_back(ordinal);
  }
  DeviceIds(std::vector<Device> devices) : devices_(std::move(devices)) {}

  /// Returns the devices with their indices. Throws DeviceError for a device that is not a CUDA
  /// device or does not exist, Error for a device that appears twice.
  TERN_API std::vector<Device> resolved() const;

 private:
  std::vector<Device> devices_;
};

/// Runs a module on several CUDA devices at once. Divides every input along `dim`, gives each
/// device one piece and a copy of the module, and joins the results on the output device. Backward
/// accumulates the gradients in the module itself, so an optimizer over its parameters needs no
/// change.
///
/// The module must be on the first device and Cloneable; parallel::Replicas says how the copies are
/// updated. With one device, calls the module itself with inputs moved to this device. Without
/// CUDA, calls the module with unchanged inputs.
template <class Impl>
class DataParallelImpl : public Module {
 public:
  /// Registers the module as "module". The output device is the first device by default.
  DataParallelImpl(std::shared_ptr<Impl> wrapped, std::vector<Device> devices,
                   std::optional<Device> output_device, std::int64_t dim)
      : devices_(std::move(devices)), dim_(dim), replicas_(wrapped, devices_) {
    detail::require_clone<Impl>();
    module = register_module("module", std::move(wrapped));
    if (!devices_.empty()) output_ = output_device.value_or(devices_.front());
  }

  /// Runs the module on pieces of the inputs and returns the joined result. The inputs must be
  /// tensors with equal sizes along `dim`. Throws ShapeError if the inputs give different numbers
  /// of pieces.
  template <class... Tensors>
  auto forward(const Tensors&... inputs) -> decltype(std::declval<Impl&>().forward(inputs...)) {
    static_assert(sizeof...(Tensors) > 0 && (std::is_convertible_v<Tensors, Tensor> && ...));
    using Result = std::decay_t<decltype(module->forward(inputs...))>;
    if (devices_.empty()) return detail::call(*module, inputs...);
    if (devices_.size() == 1) {
      replicas_.use(1);  // checks the module's device
      const auto moved = [&](const Tensor& input) {
        return parallel::scatter(input, devices_, dim_)[0];
      };
      return detail::call(*module, moved(inputs)...);
    }
    const std::vector<Tensor> pieces[] = {parallel::scatter(inputs, devices_, dim_)...};
    const std::size_t count = pieces[0].size();
    for (const std::vector<Tensor>& other : pieces) {
      TERN_CHECK(other.size() == count, ShapeError,
                 "DataParallel: all inputs must be divided into the same number of pieces along "
                 "dimension ",
                 dim_, ", got ", count, " and ", other.size());
    }
    const auto modules = replicas_.use(count);
    std::vector<std::optional<Result>> results(count);
    const std::vector<Device> used(devices_.begin(),
                                   devices_.begin() + static_cast<std::ptrdiff_t>(count));
    parallel::parallel_apply(used, [&](std::size_t i) {
      const auto run = [&]<std::size_t... k>(std::index_sequence<k...>) {
        results[i] = detail::call(dynamic_cast<Impl&>(*modules[i]), pieces[k][i]...);
      };
      run(std::index_sequence_for<Tensors...>());
    });
    std::vector<Result> values;
    for (std::optional<Result>& result : results) values.push_back(std::move(*result));
    return parallel::gather(values, output_, dim_);
  }

  /// The module.
  std::shared_ptr<Impl> module;

 private:
  std::vector<Device> devices_;
  std::int64_t dim_;
  Device output_ = kCPU;
  parallel::Replicas replicas_;
};

/// The holder of DataParallelImpl.
///
/// Example:
///   auto net = Net().to("cuda:0");
///   nn::DataParallel parallel(net, {0, 1});  // without a list: all devices
///   auto loss = nn::functional::mse_loss(parallel(x), y);
template <class Holder>
class DataParallel
    : public ModuleHolder<DataParallelImpl<typename Holder::ContainedType>, DataParallel<Holder>> {
  using Impl = DataParallelImpl<typename Holder::ContainedType>;
  using Base = ModuleHolder<Impl, DataParallel<Holder>>;

 public:
  /// Makes an empty holder.
  DataParallel(std::nullptr_t) : Base(nullptr) {}
  /// Shares an existing module.
  DataParallel(std::shared_ptr<Impl> impl) : Base(std::move(impl)) {}
  /// Wraps a module; see DataParallelImpl. The output device is the first device by default.
  explicit DataParallel(const Holder& module, const DeviceIds& device_ids = {},
                        std::optional<Device> output_device = std::nullopt, std::int64_t dim = 0)
      : Base(std::make_shared<Impl>(module.ptr(), device_ids.resolved(), output_device, dim)) {}
};

namespace parallel {

/// Calls `module` once on several devices. nn::DataParallel keeps the copies for the next call.
template <class Holder>
auto data_parallel(const Holder& module, const Tensor& input, const DeviceIds& device_ids = {},
                   std::optional<Device> output_device = std::nullopt, std::int64_t dim = 0) {
  return DataParallel<Holder>(module, device_ids, output_device, dim)(input);
}

}  // namespace parallel
}  // namespace tern::nn
