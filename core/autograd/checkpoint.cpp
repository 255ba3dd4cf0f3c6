#include <algorithm>
#include <memory>
#include <mutex>

#include <tern/core/autograd/checkpoint.h>
#include <tern/core/autograd/detail/autocast_mode.h>
#include <tern/core/autograd/saved_tensor_hooks.h>
#include <tern/core/tensor/generator.h>

namespace tern::autograd {
namespace {

// The states of the default generators of some devices.
class RandomStates {
 public:
  RandomStates() = default;
  explicit RandomStates(const std::vector<Device>& devices) : devices_(devices) {
    for (Device device : devices_) {
      const Generator& generator = default_generator(device);
      const std::lock_guard<std::mutex> lock(generator.mutex());
      states_.push_back(generator.state_bytes());
    }
  }
  void restore() const {
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      Generator& generator = default_generator(devices_[i]);
      const std::lock_guard<std::mutex> lock(generator.mutex());
      generator.set_state_bytes(states_[i]);
    }
  }
  const std::vector<Device>& devices() const { return devices_; }

 private:
  std::vector<Device> devices_;
  std::vector<std::vector<std::uint8_t>> states_;
};

// One checkpointed call. The saved tensors of its ops own it.
struct Checkpointed {
  std::function<variable_list(const variable_list&)> fn;
  variable_list inputs;
  RandomStates random;
  tern::detail::AutocastMode autocast = tern::detail::autocast_mode;
  std::int64_t saved_count = 0;
  variable_list recomputed;  // what the ops saved in the second run; empty before it

  void recompute() {
    const RandomStates now(random.devices());
    random.restore();
    try {
      run_again();
    } catch (...) {
      now.restore();
      throw;
    }
    now.restore();
    const auto count = static_cast<std::int64_t>(recomputed.size());
    TERN_CHECK(count == saved_count, Error,
               "checkpoint: A different number of tensors was saved during the original forward "
               "and recomputation. Number of tensors saved during forward: ",
               saved_count, ". Number of tensors saved during recomputation: ", count,
               ". The function must compute the same both times.");
  }

 private:
  void run_again() {
    const AutoGradMode recorded(true);
    const tern::detail::AutocastRegion region(autocast);
    recomputed.clear();
    const SavedTensorHooks keep(
        [this](const Tensor& tensor) {
          recomputed.push_back(tensor);
          return static_cast<std::int64_t>(recomputed.size()) - 1;
        },
        // For a backward pass inside of the function.
        [this](const SavedValue& index) {
          return recomputed[static_cast<std::size_t>(index.toInt())];
        });
    fn(inputs);
  }
};

}  // namespace

variable_list checkpoint(std::function<variable_list(const variable_list&)> fn,
                         const variable_list& inputs, StrictBool preserve_rng_state) {
  if (!GradMode::records()) return fn(inputs);
  const auto call = std::make_shared<Checkpointed>();
  call->fn = std::move(fn);
  call->inputs = inputs;
  if (preserve_rng_state) {
    std::vector<Device> devices{kCPU};
    for (const Tensor& input : inputs) {
      if (!input.defined() || !input.is_cuda()) continue;
      if (std::find(devices.begin(), devices.end(), input.device()) == devices.end()) {
        devices.push_back(input.device());
      }
    }
    call->random = RandomStates(devices);
  }
  const SavedTensorHooks drop(
      [call](const Tensor&) { return call->saved_count++; },
      [call](const SavedValue& value) {
        const auto index = static_cast<std::size_t>(value.toInt());
        if (index >= call->recomputed.size() || !call->recomputed[index].defined()) {
          call->recompute();
        }
        return std::exchange(call->recomputed[index], Tensor());
      });
  return call->fn(inputs);
}

}  // namespace tern::autograd
