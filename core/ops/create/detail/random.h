#pragma once

#include <optional>

#include <tern/core/autograd/record.h>
#include <tern/core/kernels/families/random.h>
#include <tern/core/ops/common/detail/inplace.h>
#include <tern/core/ops/create/creation.h>
#include <tern/core/tensor/tensor.h>

// What the ops that draw random numbers share.

namespace tern::detail {

using OptionalGenerator = std::optional<Generator>;

/// Returns `given`, or the default generator of `device`. Throws DeviceError if `given` belongs to
/// another device.
Generator& chosen_generator(OptionalGenerator& given, Device device);

/// Returns arguments of the random kernel without an output.
kernels::RandomArgs random_args(kernels::RandomOp op, double a, double b, std::int64_t low = 0,
                                std::int64_t high = 0);

/// Fills `out` in the order of its memory, whatever its strides.
void draw_random(const char* name, const Tensor& out, OptionalGenerator& given,
                 kernels::RandomArgs args);

/// Fills `self` in place. The old elements and their history are lost, whether the op is recorded
/// or not.
Tensor& draw_random_inplace(Tensor& self, const char* name, const char* node,
                            OptionalGenerator& generator, const kernels::RandomArgs& args);

/// The rule of a random op's input: its gradient is 0.
inline constexpr auto kNoSlope = [](const Tensor& gradient) { return zeros_like(gradient); };

/// Throws NotImplementedError with the name of PyTorch's kernel unless `self` has a floating dtype.
void check_floating_draw(const char* kernel, const Tensor& self);

/// Fills the new tensor `fresh` and gives it the version and requires_grad of a new tensor.
template <class Fill>
Tensor drawn(Tensor fresh, const TensorOptions& options, const Fill& fill) {
  fill(fresh);
  fresh.self().storage->reset_version();
  if (options.requires_grad()) fresh.requires_grad_();
  return fresh;
}
template <class Fill>
Tensor drawn(IntArrayRef sizes, const TensorOptions& options, const Fill& fill) {
  return drawn(empty(sizes, options.requires_grad(false)), options, fill);
}
template <class Fill>
Tensor drawn_like(const Tensor& self, const TensorOptions& options, const Fill& fill) {
  return drawn(empty_like(self, options.requires_grad(false)), options, fill);
}

}  // namespace tern::detail
