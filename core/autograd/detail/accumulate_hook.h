#pragma once

#include <functional>

#include <tern/core/tensor/tensor.h>

// What runs when gradients are complete. Python calls these register_post_accumulate_grad_hook()
// and queue_callback().

namespace tern::autograd {

/// Calls `hook` with a leaf's gradient each time that backward() has added to it. The hook may
/// change and replace it. Returns a number for remove_accumulate_hook(). Throws Error unless the
/// tensor is a leaf that requires a gradient.
TERN_API unsigned add_accumulate_hook(const Tensor& leaf, std::function<void(Tensor& grad)> hook);
/// Removes a hook.
TERN_API void remove_accumulate_hook(const Tensor& leaf, unsigned number);

/// Returns true if the leaf has a hook of add_accumulate_hook().
TERN_API bool has_accumulate_hook(const Tensor& leaf);

/// Returns true while backward() runs on this thread.
TERN_API bool is_in_backward();
/// Calls `callback` when the outermost backward() of this thread ends: with true after the last
/// gradient, where an error is thrown by backward(), or with false when backward() throws. Throws
/// Error outside of backward().
TERN_API void at_end_of_backward(std::function<void(bool is_complete)> callback);

}  // namespace tern::autograd
