#include <tern/nn/parallel/parallel_apply.h>

#include <exception>
#include <thread>

#include <tern/core/autograd/detail/autocast_mode.h>
#include <tern/core/autograd/grad_mode.h>
#include <tern/core/kernels/backend.h>

namespace tern::nn::parallel {

void parallel_apply(const std::vector<Device>& devices,
                    const std::function<void(std::size_t)>& task) {
  std::vector<kernels::Backend::Runner> runners;
  runners.reserve(devices.size());
  for (Device device : devices) {
    runners.push_back(kernels::backend_of(device.type()).runner(device.index()));
  }
  std::vector<std::exception_ptr> errors(devices.size());
  const tern::detail::AutocastMode autocast = tern::detail::autocast_mode;
  const bool is_inference = InferenceMode::is_enabled(), records = GradMode::is_enabled();
  const auto run = [&](std::size_t i) noexcept {
    try {
      const InferenceMode inference(is_inference);
      const AutoGradMode grad_mode(records);
      const tern::detail::AutocastRegion region(autocast);
      runners[i]([&] { task(i); });
    } catch (...) {
      errors[i] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < devices.size(); ++i) threads.emplace_back(run, i);
    run(0);
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace tern::nn::parallel
