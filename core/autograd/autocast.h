#pragma once

#include <optional>

#include <tern/core/base/strict.h>
#include <tern/core/tensor/tensor.h>

// Automatic mixed precision: matrix products run in float16 or bfloat16, ops that need more range
// or precision in float32. docs/mixed-precision.md explains it.

/// The settings of autocast on this thread, with libtorch's names. Prefer amp::Autocast, which
/// restores them.
namespace tern::autocast {

/// Returns true for the kinds of devices that have autocast: the CPU and CUDA.
TERN_API bool is_autocast_available(DeviceType device_type);
/// Returns true while autocast is enabled on this thread. Throws DeviceError for meta.
TERN_API bool is_autocast_enabled(DeviceType device_type);
/// Enables or disables autocast on this thread. Throws DeviceError for meta.
TERN_API void set_autocast_enabled(DeviceType device_type, StrictBool enabled);
/// Returns the dtype of matrix products under autocast: bfloat16 on the CPU and float16 on CUDA
/// unless it was set. Throws DeviceError for meta.
TERN_API ScalarType get_autocast_dtype(DeviceType device_type);
/// Sets the dtype of matrix products under autocast. Throws DeviceError for meta, DTypeError unless
/// it is float16 or bfloat16, or on CUDA float32.
TERN_API void set_autocast_dtype(DeviceType device_type, ScalarType dtype);
/// Forgets the casts of weights. Needed only where a weight changes inside a region.
TERN_API void clear_cache();
/// Counts one more region on this thread; returns their number.
TERN_API int increment_nesting();
/// Counts one region less; returns their number.
TERN_API int decrement_nesting();
/// Returns true while casts of weights are kept on this thread, which is the default.
TERN_API bool is_autocast_cache_enabled();
/// Sets whether casts of weights are kept on this thread.
TERN_API void set_autocast_cache_enabled(StrictBool enabled);

}  // namespace tern::autocast

namespace tern::amp {

/// A region with automatic mixed precision, as torch.autocast(): while the object lives, the ops
/// that this thread calls on tensors of the device choose their dtype. Matrix products cast float32
/// inputs to float16 or bfloat16; ops that need range or precision cast to float32; some take the
/// widest of their inputs' dtypes; all others do not change. float64 and integers are never cast.
///
/// Regions nest; `enabled = false` makes a region without casts. Ops in place and with `out` do
/// not cast. Call backward() after the region: gradients have the dtypes of the forward pass, those
/// of the weights theirs.
///
/// Throws: DeviceError for meta. DTypeError for an enabled region with a dtype other than float16
/// and bfloat16; CUDA also takes float32.
///
/// Example:
///   Tensor loss;
///   {
///     tern::amp::Autocast autocast(tern::kCPU);  // bfloat16
///     loss = mse_loss(net->forward(x), y);
///   }
///   loss.backward();
class TERN_API Autocast {
 public:
  /// Enters a region. Without `dtype` it is get_autocast_dtype(): bfloat16 on the CPU, float16 on
  /// CUDA. An index of the device does not matter. Without `cache_enabled` that setting stays.
  explicit Autocast(Device device, std::optional<ScalarType> dtype = std::nullopt,
                    StrictBool enabled = true,
                    std::optional<StrictBool> cache_enabled = std::nullopt);
  /// Refuses a bool in the place of the dtype.
  template <class T>
  requires detail::kIsBool<T> Autocast(Device, T)
  = delete;
  /// Restores the settings of the device before the region. The outermost region forgets the casts
  /// of weights.
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  DeviceType type_;
  bool was_enabled_, was_cache_enabled_;
  ScalarType previous_dtype_;
};

/// Python's spelling of Autocast.
using autocast = Autocast;

}  // namespace tern::amp
