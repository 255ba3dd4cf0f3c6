#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <tern/core/kernels/families/optim.h>
#include <tern/core/tensor/tensor.h>
#include <tern/nn/optim/param_state.h>

namespace tern::optim::detail {

/// The parts of one parameter's state that a step reads and changes.
struct StateFields {
  explicit StateFields(OptimizerParamState& state);

  Tensor* tensors[kernels::kMaxOptimStates] = {};  // the states of the rule, in its order
  std::int64_t* step = nullptr;   // number of steps; null if the optimizer does not count steps
  Tensor* device_step = nullptr;  // number of steps on the device; null if no kernel needs it
  const char* missing = nullptr;  // the first undefined tensor that is not optional
  // Floats that steps change on the host. Parameters step together if their floats agree.
  std::array<float, 2> floats = {};
  std::size_t float_count = 0;
  int tensor_count = 0;
};

/// One parameter of a step with its gradient and its state.
struct Update {
  /// Throws if the gradient does not fit the parameter. `name` is the name of the optimizer for
  /// error texts. The parameter must outlive the update.
  Update(const char* name, const Tensor& parameter, Tensor gradient);

  /// Sets the state. `states` selects tensors of the state (bit k: tensor k). A selected tensor
  /// gets the elements `initial[k]` if it is undefined, and becomes a copy if the parameter now has
  /// another device or dtype. Throws Error for both during a capture, because every replay would do
  /// the same again, and ShapeError if the parameter now has another size.
  void set_state(const char* name, const StateFields& fields, std::uint32_t states,
                 const double* initial);
  /// Returns the number of this step, from 1, or 0 if the optimizer does not count steps.
  std::int64_t step_number() const { return step == nullptr ? 0 : *step + 1; }
  /// Adds the parameter to the arguments of a kernel.
  void append_to(kernels::OptimArgs& args) const;
  /// Copies the new values into the parameter and stores new tensors in the state. Called after the
  /// kernel.
  void finish();

  const Tensor& parameter;
  Tensor grad;    // contiguous
  Tensor values;  // a contiguous copy of a parameter that is not contiguous; undefined for others
  void* state_data[kernels::kMaxOptimStates] = {};  // elements of the states; null if not used
  std::vector<std::pair<Tensor*, Tensor>> fresh;    // tensors of the state and their replacements
  OptimizerParamState* state = nullptr;             // null if the step uses no state
  unsigned form = 0;                                // bits of the rule's form that others lack
  std::int64_t* step = nullptr;                     // this and the next two as in StateFields
  Tensor* device_step = nullptr;
  std::array<float, 2> floats = {};
};

/// Returns true if both tensors have the same dtype and device.
inline bool same_kind(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.device() == b.device();
}

}  // namespace tern::optim::detail
