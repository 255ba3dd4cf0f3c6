#pragma once

#include <functional>
#include <memory>

#include <tern/core/autograd/saved_value.h>

namespace tern::autograd {

/// While the guard lives, ops of this thread do not save tensors for backward: they save what
/// `pack` makes of them, and backward uses what `unpack` makes of that. Guards may be nested; the
/// innermost one counts, unless its `pack` returns nothing: then the outer one does, and without
/// one the tensor is saved as usual. The hooks must not change the tensor in place, and unpack must
/// return the same sizes, dtype and device. In-place changes of a saved tensor are not noticed.
///
/// Example:
///   // Keeps saved tensors in half the memory.
///   tern::autograd::SavedTensorHooks narrow(
///       [](const Tensor& x) { return x.to(tern::kBFloat16); },
///       [](const SavedValue& kept) { return kept.toTensor().to(tern::kFloat); });
class TERN_API SavedTensorHooks {
 public:
  /// Makes a value of a tensor without history.
  using Pack = std::function<SavedValue(const Tensor&)>;
  /// Makes the tensor of the value. Runs once for each saved tensor and backward pass.
  using Unpack = std::function<Tensor(const SavedValue&)>;

  /// Sets the hooks of this thread.
  SavedTensorHooks(Pack pack, Unpack unpack);
  /// Restores the hooks of the outer guard.
  ~SavedTensorHooks();
  SavedTensorHooks(const SavedTensorHooks&) = delete;
  SavedTensorHooks& operator=(const SavedTensorHooks&) = delete;

 private:
  friend class SavedTensor;

  Pack pack_;
  std::shared_ptr<const Unpack> unpack_;  // saved tensors need it after the guard is gone
  const SavedTensorHooks* outer_;
};

}  // namespace tern::autograd
