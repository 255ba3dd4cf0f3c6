#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include <tern/core/base/visibility.h>
#include <tern/core/kernels/graph_capture.h>
#include <tern/core/kernels/slots.h>
#include <tern/core/tensor/detail/allocator.h>
#include <tern/core/tensor/device.h>

namespace tern::kernels {

/// The code behind one kind of device. Ops reach it through backend_of(); adding one means one
/// class and one line in backends/builtin.cpp.
class TERN_API Backend {
 public:
  virtual ~Backend() = default;

  virtual Allocator& allocator() = 0;
  virtual const KernelTable& kernels() = 0;
  virtual int device_count() = 0;
  /// The device of the calling thread that an index of -1 means.
  virtual DeviceIndex current_device() = 0;
  /// Throws DeviceError when `device` does not exist or the backend cannot run, saying why.
  virtual void check_device(DeviceIndex device) = 0;
  /// The stream on which the calling thread's work for `device` runs; null where there is none.
  virtual void* stream(DeviceIndex device) = 0;
  /// Copies bytes between this backend's device and the host or another of its devices (`from`
  /// and `to` say which is which; at least one is this backend's). Ordered after the work that
  /// was given to either side. Unless non_blocking, the host may use both sides on return.
  virtual void copy_bytes(void* to, Device to_device, const void* from, Device from_device,
                          std::size_t bytes, bool non_blocking) = 0;
  /// Waits for the work of `device` and throws what went wrong in it.
  virtual void synchronize(DeviceIndex device) = 0;
  /// Says that the current stream of `device` uses the block at `data`, whichever stream the block
  /// belongs to: once freed, the block is not reused before the work that this stream has by then.
  virtual void record_current_stream(const void* /*data*/, DeviceIndex /*device*/) {}
  /// Host memory for copies that run while the host goes on; null where there is no such thing.
  virtual Allocator* pinned_allocator() { return nullptr; }

  /// Something that runs a body, in whatever thread, with `device` current and its work on the
  /// stream that the calling thread uses now.
  using Place = std::function<void(const std::function<void()>& body)>;
  virtual Place place(DeviceIndex) {
    return [](const std::function<void()>& body) { body(); };
  }

  /// Returns the graph that records the calling thread's work for `device`; null when the work
  /// runs.
  virtual GraphCapture* capture(DeviceIndex) { return nullptr; }
};

/// The backend of a device type. The first call registers the built-in ones.
TERN_API Backend& backend_of(DeviceType type);

/// Returns the graph that records the calling thread's work for `device`; null when the work runs.
inline GraphCapture* capture_on(Device device) {
  return device.is_cuda() ? backend_of(device.type()).capture(device.index()) : nullptr;
}

/// Whether work on `device` is recorded: then its results cannot be read.
inline bool is_capturing(Device device) { return capture_on(device) != nullptr; }

/// Reserves `blocks` blocks of a device's generator, whose mutex the caller holds, and writes into
/// `args` where a kernel draws from: a seed and an offset, or while a graph is captured the place
/// in device memory that has them.
TERN_API void reserve_numbers(Generator& generator, std::uint64_t blocks, RandomArgs& args);

namespace detail {
/// Defined in backends/builtin.cpp: fills one pointer per device type. The core declares it, so
/// that no layer below the backends needs to know them.
void register_builtin_backends(Backend* (&backends)[kDeviceTypes]);

/// Throws the error that a failed kernel left in `context`, in words: `op` is what the user called.
[[noreturn]] TERN_API void throw_status(const char* op, Slot slot, ScalarType dtype,
                                        DeviceType device, const KernelContext& context);
/// Throws DTypeError: `dtype` is none that kernels compute in.
[[noreturn]] TERN_API void throw_data_dtype(const char* op, ScalarType dtype, DeviceType device);
[[noreturn]] TERN_API void throw_missing(const char* op, Slot slot, DeviceType device);
}  // namespace detail

/// Runs the slot of `Args` where the tensors are. Throws DTypeError where it would compute in a
/// dtype that is only data, NotImplementedError when the backend has no such kernel, and what the
/// kernel reports otherwise.
template <class Args>
void run(const char* op, Device device, ScalarType dtype, const Args& args) {
  if (!is_compute_dtype(dtype) && !moves_only(args)) [[unlikely]]
    detail::throw_data_dtype(op, dtype, device.type());
  Backend& backend = backend_of(device.type());
  constexpr Slot slot = SlotOf<Args>::slot;
  const KernelFn kernel = backend.kernels()[slot];
  if (kernel == nullptr) [[unlikely]]
    detail::throw_missing(op, slot, device.type());
  KernelContext context;
  context.device = device.index();
  if (!device.is_cpu()) context.stream = backend.stream(device.index());
  kernel(&args, &context);
  if (context.status != StatusCode::kOk) [[unlikely]] {
    detail::throw_status(op, slot, dtype, device.type(), context);
  }
}

}  // namespace tern::kernels
