#include <tern/backends/cuda/device/runtime.h>

#include <cstdio>
#include <mutex>

#include <tern/backends/cuda/device/index_failure.h>
#include <tern/backends/cuda/device/kernels.h>
#include <tern/backends/cuda/device/scratch.h>
#include <tern/core/kernels/index_error.h>

namespace tern::cuda::device {
namespace {

constexpr int kMostDevices = 64;

PluginHost the_host;
DeviceCounts the_counts;

struct DeviceState {
  std::once_flag started;
  cudaError_t error = cudaSuccess;
  IndexFailure* index_failure = nullptr;
};
DeviceState& state_of(std::int32_t device) {
  static DeviceState states[kMostDevices];
  return states[device];
}

void report(cudaError_t error, const char* hint, PluginStatus* status) {
  status->code = error == cudaErrorMemoryAllocation ? StatusCode::kOutOfMemory
                                                    : StatusCode::kDeviceFault;
  std::snprintf(status->message, sizeof(status->message), "CUDA error: %s%s",
                cudaGetErrorString(error), hint);
  cudaGetLastError();
}

template <class Args, void (*kernel)(const Args&, KernelContext&)>
void run_on_device(const Args& args, KernelContext& context) {
  const DeviceScope scope(context.device);
  kernel(args, context);
}

}  // namespace

const PluginHost& host() { return the_host; }
void set_host(const PluginHost& host) { the_host = host; }

void set_device_counts(DeviceCounts counts) { the_counts = counts; }
std::int32_t real_device(std::int32_t device) { return device % the_counts.real; }

DeviceScope::DeviceScope(std::int32_t device) {
  const int wanted = real_device(device);
  changed_ = cudaGetDevice(&before_) != cudaSuccess || before_ != wanted;
  if (changed_) cudaSetDevice(wanted);
}
DeviceScope::~DeviceScope() {
  if (changed_) cudaSetDevice(before_);
}

void start_device(std::int32_t device, PluginStatus* status) {
  DeviceState& state = state_of(device);
  std::call_once(state.started, [&] {
    const DeviceScope scope(device);
    void* memory = nullptr;
    state.error = cudaHostAlloc(&memory, sizeof(IndexFailure),
                                cudaHostAllocMapped | cudaHostAllocPortable);
    if (state.error == cudaSuccess) state.index_failure = new (memory) IndexFailure{};
  });
  check(state.error, status);
}

bool check(cudaError_t error, PluginStatus* status) {
  if (error != cudaSuccess) report(error, "", status);
  return error == cudaSuccess;
}

bool check_waited(cudaError_t error, PluginStatus* status) {
  if (error != cudaSuccess) {
    report(error, " (it may come from an earlier kernel; CUDA_LAUNCH_BLOCKING=1 shows from which)",
           status);
  }
  return error == cudaSuccess;
}

void take_index_failure(std::int32_t device, PluginStatus* status) {
  volatile IndexFailure* const failure = state_of(device).index_failure;
  if (failure == nullptr || failure->found != 1) return;
  status->code = StatusCode::kIndexOutOfRange;
  write_late_index_error(status->message, sizeof(status->message), failure->op, failure->index,
                         failure->limit, device);
  failure->found = 0;
}

void take_index_failure(cudaStream_t stream, PluginStatus* status) {
  int device = 0;
  if (!check(cudaStreamGetDevice(stream, &device), status)) return;
  for (; device < the_counts.shown; device += the_counts.real) take_index_failure(device, status);
}

IndexFailure* index_failure(KernelContext& context) {
  return state_of(context.device).index_failure;
}

Scratch::Scratch(KernelContext& context, std::size_t bytes) : device_(context.device) {
  if (context.status != StatusCode::kOk) return;
  PluginStatus status;
  data_ = host().allocate(device_, bytes, &status);
  if (data_ != nullptr) return;
  context.status = status.code;
  std::snprintf(context.message, sizeof(context.message), "%.255s", status.message);
}
Scratch::~Scratch() {
  if (data_ != nullptr) host().deallocate(device_, data_);
}

KernelTable launch_table() {
  KernelTable table;
#define TERN_SLOT(name, Args) set<Args, run_on_device<Args, name>>(table);
#include <tern/core/kernels/slots.def>
#undef TERN_SLOT
  return table;
}

}  // namespace tern::cuda::device
