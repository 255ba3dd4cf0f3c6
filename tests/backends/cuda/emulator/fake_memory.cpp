#include <backends/cuda/emulator/fake_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <backends/cuda/emulator/cusolver.h>

// Errors, devices and memory.

using namespace tern::emulator;

namespace {

constexpr std::size_t kTotalMemory = std::size_t{4} << 30;

using Block = FakeRuntime::Block;

int device_count() { return is_fast() ? 1 : kFakeDevices; }

// The block that contains all of the bytes; null if there is none.
const Block* block_of(const std::map<const char*, Block>& blocks, const void* at,
                      std::size_t bytes) {
  const auto* const first = static_cast<const char*>(at);
  auto behind = blocks.upper_bound(first);
  if (behind == blocks.begin()) return nullptr;
  const auto& [start, block] = *--behind;
  return first + bytes <= start + block.bytes ? &block : nullptr;
}
const Block* on_device(const void* at, std::size_t bytes) {
  return block_of(fake_runtime().device_memory, at, bytes);
}
bool is_pinned(const void* at, std::size_t bytes) {
  return block_of(fake_runtime().host_memory, at, bytes) != nullptr;
}

cudaError_t allocate(std::map<const char*, Block>& blocks, void** memory, std::size_t bytes) {
  void* const block =
      bytes > kTotalMemory ? nullptr : std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  if (block == nullptr) return refuse(cudaErrorMemoryAllocation);
  std::memset(block, 0xff, bytes < 1 << 20 ? bytes : 1 << 20);
  blocks[static_cast<const char*>(block)] = {bytes, runtime_device()};
  *memory = block;
  return cudaSuccess;
}

}  // namespace

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorDevicesUnavailable:
      return "CUDA-capable device(s) is/are busy or unavailable";
    case cudaErrorInvalidDevice:
      return "invalid device ordinal";
    case cudaErrorInvalidResourceHandle:
      return "invalid resource handle";
    case cudaErrorNotReady:
      return "device not ready";
    case cudaErrorStreamCaptureUnsupported:
      return "operation not permitted when stream is capturing";
    case cudaErrorStreamCaptureInvalidated:
      return "operation failed due to a previous error during capture";
    case cudaErrorStreamCaptureUnjoined:
      return "capturing stream has unjoined work";
    case cudaErrorCapturedEvent:
      return "operation not permitted on an event last recorded in a capturing stream";
    default:
      return "unknown error";
  }
}

cudaError_t cudaGetLastError() {
  return static_cast<cudaError_t>(std::exchange(tern::emulator::last_error(), 0));
}

cudaError_t cudaGetDriverEntryPointByVersion(const char*, void** function, unsigned, int,
                                             cudaDriverEntryPointQueryResult* found) {
  *found = cudaDriverEntryPointSuccess;
  *function = reinterpret_cast<void*>(+[](int device, unsigned* flags, int* active) {
    *flags = 0;
    *active = (tern::emulator::contexts() >> device & 1) != 0 ? 1 : 0;
    return 0;
  });
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }
cudaError_t cudaGetDeviceCount(int* count) {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible != nullptr && *visible == '\0') return refuse(cudaErrorNoDevice);
  *count = device_count();
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = runtime_device();
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= device_count()) return refuse(cudaErrorInvalidDevice);
  if (refuses_device()) return refuse(cudaErrorDevicesUnavailable);
  tern::emulator::runtime_device() = device;
  tern::emulator::contexts() |= 1U << device;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  *properties = {"", kTotalMemory, 9, 0, 132, 2048, 32};
  std::snprintf(properties->name, sizeof(properties->name), "Emulated GPU %d", device);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  *value = 9;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* possible, int device, int peer) {
  *possible = device != peer && (device < 2) == (peer < 2) ? 1 : 0;  // two pairs
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  const FakeLock lock(fake_runtime().mutex);
  bool& has = fake_runtime().has_peer[runtime_device()][peer];
  return std::exchange(has, true) ? refuse(cudaErrorPeerAccessAlreadyEnabled) : cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  const FakeLock lock(fake_runtime().mutex);
  for (FakeStream* each : fake_runtime().streams) {
    if (each->device != runtime_device()) continue;
    const cudaError_t error = wait_for(*each);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  const FakeLock lock(fake_runtime().mutex);
  *total = kTotalMemory;
  *free = kTotalMemory - fake_runtime().used[runtime_device()];
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  const FakeLock lock(fake_runtime().mutex);
  if (is_unsafe()) return refuse(cudaErrorStreamCaptureUnsupported);
  std::size_t& used = fake_runtime().used[runtime_device()];
  if (bytes > kTotalMemory - used) return refuse(cudaErrorMemoryAllocation);
  const cudaError_t error = allocate(fake_runtime().device_memory, memory, bytes);
  if (error != cudaSuccess) return error;
  used += bytes;
  tern::emulator::add_scratch(*memory, bytes);
  return cudaSuccess;
}
cudaError_t cudaFree(void* memory) {
  const FakeLock lock(fake_runtime().mutex);
  if (is_unsafe()) return refuse(cudaErrorStreamCaptureUnsupported);
  const auto found = fake_runtime().device_memory.find(static_cast<const char*>(memory));
  if (found == fake_runtime().device_memory.end()) return refuse(cudaErrorInvalidValue);
  for (FakeStream* each : fake_runtime().streams) run_all(*each);
  fake_runtime().used[found->second.device] -= found->second.bytes;
  fake_runtime().device_memory.erase(found);
  tern::emulator::remove_scratch(memory);
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
  const FakeLock lock(fake_runtime().mutex);
  if (is_unsafe()) return refuse(cudaErrorStreamCaptureUnsupported);
  return allocate(fake_runtime().host_memory, memory, bytes);
}
cudaError_t cudaFreeHost(void* memory) {
  const FakeLock lock(fake_runtime().mutex);
  if (is_unsafe()) return refuse(cudaErrorStreamCaptureUnsupported);
  if (fake_runtime().host_memory.erase(static_cast<const char*>(memory)) == 0) {
    return refuse(cudaErrorInvalidValue);
  }
  for (FakeStream* each : fake_runtime().streams) run_all(*each);
  std::free(memory);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t handle) {
  const FakeLock lock(fake_runtime().mutex);
  const bool to_device = kind != cudaMemcpyDeviceToHost;
  const bool from_device = kind != cudaMemcpyHostToDevice;
  if (to_device != (on_device(to, bytes) != nullptr) ||
      from_device != (on_device(from, bytes) != nullptr)) {
    return refuse(cudaErrorInvalidValue);
  }
  FakeStream* const stream = fake_runtime().stream_of(handle);
  if (stream == nullptr) return refuse(cudaErrorInvalidResourceHandle);
  const void* const host = to_device ? from : to;
  if (to_device != from_device && !is_pinned(host, bytes)) {  // staged: CUDA is done on return
    const cudaError_t error = wait_for(*stream);
    if (error == cudaSuccess) std::memcpy(to, from, bytes);
    return error;
  }
  return tern::emulator::submit(handle, [=] { std::memmove(to, from, bytes); });
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes, cudaStream_t stream) {
  const FakeLock lock(fake_runtime().mutex);
  const Block* const target = on_device(to, bytes);
  const Block* const source = on_device(from, bytes);
  if (target == nullptr || source == nullptr || target->device != to_device ||
      source->device != from_device) {
    return refuse(cudaErrorInvalidValue);
  }
  return tern::emulator::submit(stream, [=] { std::memmove(to, from, bytes); });
}
