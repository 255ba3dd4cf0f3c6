#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <tern/core/kernels/families/optim.h>
#include <tern/core/tensor/tensor.h>

namespace tern::optim::detail {

/// What a step reads and changes of the state that an optimizer keeps for one parameter.
struct StateFields {
  Tensor* tensors[kernels::kMaxOptimStates] = {};  // the states of the rule, in its order
  std::int64_t* step = nullptr;   // the number of steps; null where the optimizer does not count
  Tensor* device_step = nullptr;  // the same on the device; null where no kernel needs it
  unsigned form = 0;              // form bits of this parameter alone
};

/// One parameter of a step with its gradient and its state.
struct Update {
  /// Throws if the gradient does not fit the parameter; `name` is the optimizer's, for the text.
  /// The parameter must outlive the update.
  Update(const char* name, const Tensor& parameter, Tensor gradient);

  /// Sets the state. Those of its tensors that `states` names (bit k: tensor k) become zeros if
  /// undefined, and copies if the parameter is on another device or in another dtype by now. Throws
  /// Error for both during a capture, because every replay would do so again.
  void set_state(const StateFields& fields, std::uint32_t states);
  /// Returns the number of this step, counted from 1; 0 where the optimizer does not count.
  std::int64_t step_number() const { return step == nullptr ? 0 : *step + 1; }
  /// Adds the parameter to the arguments of a kernel.
  void append_to(kernels::OptimArgs& args) const;
  /// After the kernel: brings the new values into the parameter and new tensors into the state.
  void finish();

  const Tensor& parameter;
  Tensor grad;    // contiguous
  Tensor values;  // a contiguous copy of a parameter that is not contiguous; undefined for others
  void* state_data[kernels::kMaxOptimStates] = {};  // the elements of the states; null if not used
  std::vector<std::pair<Tensor*, Tensor>> fresh;    // tensors of the state with their replacements
  std::int64_t* step = nullptr;                     // as in StateFields
  Tensor* device_step = nullptr;
  unsigned form = 0;
};

/// Returns true if both tensors have the same dtype and device.
inline bool same_kind(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.device() == b.device();
}

}  // namespace tern::optim::detail
