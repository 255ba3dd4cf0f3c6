#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include <tern/core/base/profile_scope.h>
#include <tern/core/base/visibility.h>
#include <tern/core/kernels/collectives.h>
#include <tern/core/kernels/graph_capture.h>
#include <tern/core/kernels/slots.h>
#include <tern/core/tensor/detail/allocator.h>
#include <tern/core/tensor/device.h>

namespace tern::kernels {

/// The ranges of NVIDIA's tools extension. Both numbers are the nesting depth of the range, from 0;
/// negative without a tool that observes the program.
struct RangeCalls {
  std::int32_t (*push)(const char* name);
  std::int32_t (*pop)();
  void (*mark)(const char* name);
};

/// The code behind one kind of device. Ops reach a backend through backend_of(). A new backend is
/// one class and one line in backends/builtin.cpp.
class TERN_API Backend {
 public:
  virtual ~Backend() = default;

  /// Returns the allocator of the devices' memory.
  virtual Allocator& allocator() = 0;
  /// Returns the kernels, by slot.
  virtual const KernelTable& kernels() = 0;
  /// Returns the number of devices.
  virtual int device_count() = 0;
  /// Returns the calling thread's current device, which an index of -1 means.
  virtual DeviceIndex current_device() = 0;
  /// Throws DeviceError with the reason when `device` does not exist or the backend cannot run.
  virtual void check_device(DeviceIndex device) = 0;
  /// Returns the calling thread's current stream of `device`; null if the backend has no streams.
  virtual void* stream(DeviceIndex device) = 0;
  /// Copies `bytes` bytes between a device of this backend and the host or another of its devices:
  /// `to_device` or `from_device` belongs to this backend. Ordered after earlier work on both
  /// sides. Unless `non_blocking`, the host may use both sides on return.
  virtual void copy_bytes(void* to, Device to_device, const void* from, Device from_device,
                          std::size_t bytes, bool non_blocking) = 0;
  /// Waits for the work of `device` and throws the error of that work, if any.
  virtual void synchronize(DeviceIndex device) = 0;
  /// Records that the current stream of `device` uses the block at `data`, which may belong to
  /// another stream. Once the block is freed, it is reused only after the work that this stream has
  /// by then.
  virtual void record_current_stream(const void* /*data*/, DeviceIndex /*device*/) {}
  /// Returns the allocator of host memory for copies that overlap with the host's work; null if the
  /// backend has none.
  virtual Allocator* pinned_allocator() { return nullptr; }

  /// Runs a body, on any thread, with `device` current and with the stream that the calling thread
  /// used when runner() was called.
  using Runner = std::function<void(const std::function<void()>& body)>;
  /// Returns the Runner of the calling thread's current stream of `device`.
  virtual Runner runner(DeviceIndex) {
    return [](const std::function<void()>& body) { body(); };
  }

  /// Returns a function that makes later work of a stream wait for the present work of the calling
  /// thread's current stream of `device`: of the current stream of the thread that calls it.
  virtual std::function<void()> order_after(DeviceIndex) {
    return [] {};
  }
  /// Returns what links the devices to those of other ranks; null if the backend has nothing.
  virtual Collectives* collectives() { return nullptr; }

  /// Returns the graph that captures the calling thread's work for `device`; null outside a
  /// capture.
  virtual GraphCapture* capture(DeviceIndex) { return nullptr; }

  /// Returns the calls that mark ranges for the device's tools; null if there are none.
  virtual const RangeCalls* ranges() { return nullptr; }
  /// Records a point in time on the calling thread's current stream of `device`; null if the
  /// backend cannot.
  virtual void* record_time(DeviceIndex) noexcept { return nullptr; }
  /// Waits for both points of `device`, frees them, and returns the nanoseconds between them; 0 if
  /// the work failed. Leaves its error to the next call that waits.
  virtual std::int64_t take_elapsed(DeviceIndex, void* /*start*/, void* /*end*/) noexcept {
    return 0;
  }
};

/// Returns the backend of a device type. The first call registers the built-in backends.
TERN_API Backend& backend_of(DeviceType type);

/// Returns the graph that captures the calling thread's work for `device`; null outside a capture.
inline GraphCapture* capture_on(Device device) {
  return device.is_cuda() ? backend_of(device.type()).capture(device.index()) : nullptr;
}

/// Returns true while work on `device` is captured; its results cannot be read then.
inline bool is_capturing(Device device) { return capture_on(device) != nullptr; }

/// Reserves `blocks` blocks of a device's generator, whose mutex the caller must hold. Writes to
/// `args` where the kernel finds its numbers: a seed and an offset, or during a capture the address
/// of both in device memory.
TERN_API void reserve_numbers(Generator& generator, std::uint64_t blocks, RandomArgs& args);

namespace detail {
/// Sets one pointer per device type. Declared here and defined in backends/builtin.cpp, so that no
/// layer below the backends needs to know them.
void register_builtin_backends(Backend* (&backends)[kDeviceTypes]);

/// Throws the error that a failed kernel left in `context`. `op` is the op that the user called.
[[noreturn]] TERN_API void throw_status(const char* op, Slot slot, ScalarType dtype,
                                        DeviceType device, const KernelContext& context);
/// Throws NotImplementedError, because the backend of `device` has no kernel in `slot`.
[[noreturn]] TERN_API void throw_missing(const char* op, Slot slot, DeviceType device);
/// Runs a kernel and records it in the running profile.
TERN_API void run_profiled(Backend& backend, KernelFn kernel, Slot slot, DeviceType device,
                           const void* args, KernelContext* context);
}  // namespace detail

/// Gives the recorded kernels of the stopped recording `number` their times on the devices, for
/// which it waits, and forgets those of other recordings.
TERN_API void take_device_times(std::uint32_t number) noexcept;

/// Runs the kernel for `Args` on `device`. Throws NotImplementedError when the backend lacks the
/// kernel, and the error that the kernel reports.
template <class Args>
void run(const char* op, Device device, ScalarType dtype, const Args& args) {
  Backend& backend = backend_of(device.type());
  constexpr Slot slot = SlotOf<Args>::slot;
  const KernelFn kernel = backend.kernels()[slot];
  if (kernel == nullptr) [[unlikely]]
    detail::throw_missing(op, slot, device.type());
  KernelContext context;
  context.device = device.index();
  if (!device.is_cpu()) context.stream = backend.stream(device.index());
  if (tern::detail::is_profiled()) [[unlikely]] {
    detail::run_profiled(backend, kernel, slot, device.type(), &args, &context);
  } else {
    kernel(&args, &context);
  }
  if (context.status != StatusCode::kOk) [[unlikely]] {
    detail::throw_status(op, slot, dtype, device.type(), context);
  }
}

}  // namespace tern::kernels
