#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/optim.h>
#include <tern/core/tensor/tensor.h>
#include <tern/nn/optim/optimizer.h>

// What the optimizers share: from parameters with gradients to calls of a kernel.

namespace tern::optim::detail {

/// One parameter of a step with its gradient, both contiguous.
struct Update {
  /// Throws when the gradient does not fit the parameter; `op` is for the text.
  Update(const char* op, const Tensor& parameter);
  /// After the kernel: brings the new values into the parameter itself.
  void finish();

  Tensor parameter;
  Tensor values;  // the parameter, or a contiguous copy of it
  Tensor grad;
};

/// Brings a tensor of the optimizer's state to where its parameter is now, in its dtype; makes
/// zeros when it is undefined. Throws Error for both during a capture: every replay would do so.
void follow(Tensor& state, const Tensor& parameter);

/// Same dtype and device.
inline bool same_kind(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.device() == b.device();
}

/// Cuts the updates into runs that one kernel call can do: run(begin, end), where all are
/// `alike(first, other)`.
template <class U, class Alike, class Run>
void for_each_batch(const std::vector<U>& updates, const Alike& alike, const Run& run) {
  for (std::size_t begin = 0, end = 0; begin < updates.size(); begin = end) {
    while (end < updates.size() && end - begin < kernels::kMaxOptimTensors &&
           alike(updates[begin], updates[end])) {
      ++end;
    }
    run(begin, end);
  }
}

/// While a graph captures a step of the group on `device`: where its kernels find the learning
/// rate, which before each replay becomes that of the options. Null otherwise. A replay calls
/// `check`, unless it is empty or the optimizer is gone, and throws what that throws.
const double* graph_lr(std::weak_ptr<Optimizer*> optimizer, std::size_t group, double lr,
                       Device device, std::function<void(const Optimizer&)> check = nullptr);

/// Calls the closure, if there is one, with gradients enabled.
Tensor run_closure(const Optimizer::LossClosure& closure);

}  // namespace tern::optim::detail
