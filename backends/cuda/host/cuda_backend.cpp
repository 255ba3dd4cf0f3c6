#include <tern/backends/cuda/host/cuda_backend.h>

#include <memory>
#include <utility>

#include <tern/backends/cuda/host/collectives.h>
#include <tern/backends/cuda/host/cuda.h>
#include <tern/backends/cuda/host/event_pool.h>
#include <tern/backends/cuda/host/plugin_call.h>
#include <tern/backends/cuda/host/recording.h>
#include <tern/core/kernels/device_streams.h>
#include <tern/core/tensor/tensor.h>

namespace tern::cuda {
namespace {

// Makes later work of `stream` wait for the work that `other` has now.
void wait_for(Stream stream, Stream other) {
  detail::spread_capture(other, stream);
  void* event = detail::record_event(other.device_index(), other.stream());
  kernels::PluginStatus status;
  detail::plugin().stream_wait(stream.stream(), event, &status);
  detail::keep_event(other.device_index(), event);  // the wait is bound to the recorded point
  detail::check(status);
}

kernels::Backend::Runner runner_of(Stream stream) {
  return [stream](const std::function<void()>& body) {
    const StreamGuard guard(stream);
    body();
  };
}

void copy_on(Stream stream, void* to, Device to_device, const void* from, Device from_device,
             std::size_t bytes) {
  detail::call(&kernels::Plugin::copy, to,
               to_device.is_cuda() ? to_device.index() : kernels::kHostDevice, from,
               from_device.is_cuda() ? from_device.index() : kernels::kHostDevice, bytes,
               stream.stream());
}

}  // namespace

detail::CachingAllocator& CudaBackend::allocator() {
  // Never destroyed, so that tensors can be freed even in a forked child without a plugin.
  static detail::CachingAllocator& allocator = (detail::plugin(), *new detail::CachingAllocator);
  return allocator;
}

detail::PinnedAllocator* CudaBackend::pinned_allocator() {
  detail::plugin();
  static detail::PinnedAllocator* const allocator = new detail::PinnedAllocator;
  return allocator;
}

const kernels::KernelTable& CudaBackend::kernels() { return detail::plugin().kernels; }
int CudaBackend::device_count() { return cuda::device_count(); }
DeviceIndex CudaBackend::current_device() { return cuda::current_device(); }
void CudaBackend::check_device(DeviceIndex device) { detail::check_ordinal(device); }
void CudaBackend::synchronize(DeviceIndex device) { cuda::synchronize(device); }

void CudaBackend::record_current_stream(const void* data, DeviceIndex device) {
  if (!detail::has_pool_streams()) return;  // each device has only its default stream
  allocator().record_stream(data, getCurrentCUDAStream(device));
}

void* CudaBackend::stream(DeviceIndex device) { return getCurrentCUDAStream(device).stream(); }

void CudaBackend::copy_bytes(void* to, Device to_device, const void* from, Device from_device,
                             std::size_t bytes, bool non_blocking) {
  if (to_device.is_cuda() && from_device.is_cuda()) {
    const Stream source = getCurrentCUDAStream(from_device.index());
    const Stream target = getCurrentCUDAStream(to_device.index());
    // The copy waits for earlier work of the target, and the target's later work waits for the
    // copy.
    if (source != target) wait_for(source, target);
    copy_on(source, to, to_device, from, from_device, bytes);
    if (source != target) wait_for(target, source);
    return;
  }
  const Stream stream =
      getCurrentCUDAStream(to_device.is_cuda() ? to_device.index() : from_device.index());
  const void* host = to_device.is_cuda() ? from : to;
  const bool captured = detail::recording_on(stream.stream()) != nullptr;
  const bool pinned = pinned_allocator()->is_pinned(host);
  TERN_CHECK(!captured || pinned, DeviceError,
             "Cannot copy between CPU and CUDA tensors during CUDA graph capture unless the CPU "
             "tensor is pinned. Please use tensor.pin_memory() or allocate the tensor with "
             "pinned_memory(true).");
  copy_on(stream, to, to_device, from, from_device, bytes);
  // CUDA does not guarantee on every machine that it has finished with pageable memory by now.
  if (!non_blocking || !pinned) return stream.synchronize();
  // The user must keep the buffer of a captured copy.
  if (!captured) pinned_allocator()->record_stream(host, stream);
}

CudaBackend::Runner CudaBackend::runner(DeviceIndex device) {
  return runner_of(getCurrentCUDAStream(device));
}

std::function<void()> CudaBackend::order_after(DeviceIndex device) {
  const auto event = std::make_shared<Event>();
  event->record(getCurrentCUDAStream(device));
  return [event, device] { event->block(getCurrentCUDAStream(device)); };
}

kernels::Collectives* CudaBackend::collectives() {
  static auto& collectives = *new detail::PluginCollectives;
  return &collectives;
}

kernels::GraphCapture* CudaBackend::capture(DeviceIndex device) {
  return detail::recordings == 0 ? nullptr : detail::recording_on(stream(device));
}

CudaBackend& cuda_backend() {
  static CudaBackend& backend = *new CudaBackend;
  return backend;
}

}  // namespace tern::cuda

namespace tern {

kernels::Backend::Runner kernels::runner_beside(DeviceIndex device) {
  return cuda::runner_of(cuda::getStreamFromPool(/*high_priority=*/true, device));
}

void kernels::synchronize_stream(DeviceIndex device) {
  cuda::getCurrentCUDAStream(device).synchronize();
}

void Tensor::record_stream(cuda::Stream stream) const {
  TERN_CHECK(is_cuda(), DeviceError, "Could not run 'record_stream' with a tensor on ", device(),
             ": only memory of CUDA devices belongs to streams");
  TERN_CHECK(device() == stream.device(), DeviceError, "record_stream: expected a stream of ",
             device(), ", the tensor's device, but got one of ", stream.device());
  cuda::cuda_backend().allocator().record_stream(self().storage->data(), stream);
}

}  // namespace tern
