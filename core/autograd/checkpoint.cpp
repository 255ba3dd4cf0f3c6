#include <algorithm>
#include <memory>
#include <mutex>

#include <tern/core/autograd/checkpoint.h>
#include <tern/core/autograd/detail/autocast_mode.h>
#include <tern/core/autograd/saved_tensor.h>
#include <tern/core/autograd/saved_tensor_hooks.h>
#include <tern/core/kernels/device_traits.h>
#include <tern/core/tensor/generator.h>

namespace tern::autograd {
namespace {

// The states of the default generators of some devices.
class RandomStates {
 public:
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
class Checkpointed {
 public:
  using Function = std::function<variable_list(const variable_list&)>;

  Checkpointed(Function fn, const variable_list& inputs, RandomStates random)
      : fn_(std::move(fn)), random_(std::move(random)) {
    for (const Tensor& input : inputs) inputs_.emplace_back(input, /*is_output=*/false);
  }

  const Function& function() const { return fn_; }

  // Notes a tensor that an op of the first run saves, and returns its number.
  std::size_t drop(const Tensor& tensor) {
    dropped_.push_back(
        {{tensor.self().sizes, tensor.dtype(), tensor.device()}, tensor.self().storage->version()});
    return dropped_.size() - 1;
  }

  // Returns what the second run saved in place of a dropped tensor.
  Tensor take(std::size_t index) {
    if (index >= recomputed_.size() || !recomputed_[index].defined()) recompute();
    Tensor tensor = std::exchange(recomputed_[index], Tensor());
    const auto& [info, version] = dropped_[index];
    TERN_CHECK(tensor.sizes() == IntArrayRef(info.sizes) && tensor.dtype() == info.dtype &&
                   tensor.device() == info.device,
               Error,
               "checkpoint: Recomputed values for the following tensors have different metadata "
               "than during the forward pass. tensor at position ",
               index, ": saved metadata: sizes ", IntArrayRef(info.sizes), ", dtype ", info.dtype,
               ", device ", info.device, "; recomputed metadata: sizes ", tensor.sizes(),
               ", dtype ", tensor.scalar_type(), ", device ", tensor.device(),
               ". The function must compute the same both times.");
    // The version differs if a captured tensor, such as a parameter, has changed between the runs,
    // or if the function changes a tensor after an op saved it.
    const std::uint32_t now = tensor.self().storage->version();
    TERN_CHECK(now == version, Error,
               "checkpoint: one of the variables needed for gradient computation has been modified "
               "by an inplace operation: the tensor of sizes ",
               tensor.sizes(), " at position ", index, " is at version ", now,
               "; expected version ", version, " instead.");
    return tensor;
  }

 private:
  struct Dropped {
    OutputInfo info;
    std::uint32_t version;
  };

  void recompute() {
    const RandomStates now(random_.devices());
    random_.restore();
    try {
      run_again();
    } catch (...) {
      now.restore();
      throw;
    }
    now.restore();
    TERN_CHECK(recomputed_.size() == dropped_.size(), Error,
               "checkpoint: A different number of tensors was saved during the original forward "
               "and recomputation. Number of tensors saved during forward: ",
               dropped_.size(),
               ". Number of tensors saved during recomputation: ", recomputed_.size(),
               ". The function must compute the same both times.");
  }

  void run_again() {
    const AutoGradMode recorded(true);
    variable_list inputs;
    for (const SavedTensor& input : inputs_) inputs.push_back(input.unpack(nullptr));
    const tern::detail::AutocastRegion region(autocast_);
    recomputed_.clear();
    const SavedTensorHooks keep(
        [this](const Tensor& tensor) {
          recomputed_.push_back(tensor);
          return recomputed_.size() - 1;
        },
        // For a backward pass inside of the function.
        [this](const SavedValue& index) {
          return recomputed_[static_cast<std::size_t>(index.toInt())];
        });
    fn_(inputs);
  }

  Function fn_;
  std::vector<SavedTensor> inputs_;
  RandomStates random_;
  tern::detail::AutocastMode autocast_ = tern::detail::autocast_mode;
  std::vector<Dropped> dropped_;
  variable_list recomputed_;  // what the ops saved in the second run; empty before it
};

}  // namespace

variable_list checkpoint(std::function<variable_list(const variable_list&)> fn,
                         const variable_list& inputs, StrictBool preserve_rng_state) {
  if (!GradMode::records()) return fn(inputs);
  std::vector<Device> devices;
  if (preserve_rng_state) {
    devices.push_back(kCPU);
    for (const Tensor& input : inputs) {
      if (!input.defined() || !kernels::traits_of(input.device()).has_generators) continue;
      if (std::find(devices.begin(), devices.end(), input.device()) == devices.end()) {
        devices.push_back(input.device());
      }
    }
  }
  const auto call = std::make_shared<Checkpointed>(std::move(fn), inputs, RandomStates(devices));
  const SavedTensorHooks drop([call](const Tensor& tensor) { return call->drop(tensor); },
                              [call](const SavedValue& index) {
                                return call->take(static_cast<std::size_t>(index.toInt()));
                              });
  return call->function()(inputs);
}

}  // namespace tern::autograd
