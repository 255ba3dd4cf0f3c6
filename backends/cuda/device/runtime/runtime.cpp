#include <tern/backends/cuda/device/runtime/runtime.h>

#include <cstdio>
#include <mutex>
#include <utility>

#include <tern/backends/cuda/device/families.h>
#include <tern/backends/cuda/device/runtime/late_failure.h>
#include <tern/backends/cuda/device/runtime/note.h>
#include <tern/backends/cuda/device/runtime/relaxed_capture.h>
#include <tern/backends/cuda/device/runtime/sticky_error.h>
#include <tern/backends/cuda/device/support/scratch.h>
#include <tern/backends/cuda/device/support/status.h>
#include <tern/core/kernels/late_error.h>

namespace tern::cuda::device {
namespace {

PluginHost the_host;
DeviceCounts the_counts;

struct DeviceState {
  std::mutex mutex;
  LateFailure* late_failure = nullptr;  // set when the device is started
};
DeviceState& state_of(std::int32_t device) {
  static DeviceState states[kMostDevices];
  return states[device];
}

int current_real_device() {
  int device = 0;
  cudaGetDevice(&device);
  return device;
}

void report(cudaError_t error, const char* hint, std::int32_t device, PluginStatus* status) {
  status->code =
      error == cudaErrorMemoryAllocation ? StatusCode::kOutOfMemory : StatusCode::kDeviceFault;
  if (is_sticky(error)) {
    write_lost_device(status->message, sizeof(status->message), cudaGetErrorString(error), device);
  } else {
    std::snprintf(status->message, sizeof(status->message), "CUDA error: %s%s",
                  cudaGetErrorString(error), hint);
  }
  cudaGetLastError();
}

// Replaces the message by that of a lost device: a library reports its own failure even if the
// device was lost before.
void name_lost_device(KernelContext& context) {
  cudaStreamCaptureStatus ignored = cudaStreamCaptureStatusNone;
  const cudaError_t error =
      cudaStreamIsCapturing(static_cast<cudaStream_t>(context.stream), &ignored);
  if (succeeds(error) || !is_sticky(error)) return;
  write_lost_device(context.message, sizeof(context.message), cudaGetErrorString(error),
                    context.device);
}

const KernelTable& own_kernels() {
  static const KernelTable table = [] {
    KernelTable kernels;
    register_families(kernels);
    return kernels;
  }();
  return table;
}

/// Runs the kernel of a slot with the device of the context current.
template <std::size_t kSlot>
void run_on_device(const void* args, KernelContext* context) {
  const DeviceScope scope(context->device, *context);
  if (!scope.is_current()) return;
  own_kernels().kernels[kSlot](args, context);
  if (context->status == StatusCode::kDeviceFault) name_lost_device(*context);
}

template <std::size_t... kAll>
KernelTable on_device(std::index_sequence<kAll...>) {
  KernelTable table;
  ((table.kernels[kAll] = own_kernels().kernels[kAll] != nullptr ? run_on_device<kAll> : nullptr),
   ...);
  return table;
}

}  // namespace

const PluginHost& host() { return the_host; }
void set_host(const PluginHost& host) { the_host = host; }

void note(const char* text) { host().note(text); }

void set_device_counts(DeviceCounts counts) { the_counts = counts; }
bool shares_devices() { return the_counts.shown > the_counts.real; }
std::int32_t real_device(std::int32_t device) { return device % the_counts.real; }

void start_device(std::int32_t device, PluginStatus* status) {
  DeviceState& state = state_of(device);
  const std::lock_guard lock(state.mutex);
  if (state.late_failure != nullptr) return;
  const DeviceScope scope(device, status);
  if (!scope.is_current()) return;
  const RelaxedCapture relaxed;
  void* memory = nullptr;
  if (check(
          cudaHostAlloc(&memory, sizeof(LateFailure), cudaHostAllocMapped | cudaHostAllocPortable),
          status)) {
    state.late_failure = new (memory) LateFailure{};
  }
}

bool check(cudaError_t error, PluginStatus* status) {
  return error == cudaSuccess || check(error, current_real_device(), status);
}

bool check(cudaError_t error, std::int32_t device, PluginStatus* status) {
  if (error != cudaSuccess) report(error, "", device, status);
  return error == cudaSuccess;
}

bool check_waited(cudaError_t error, PluginStatus* status) {
  if (error != cudaSuccess) {
    report(error, " (it may come from an earlier kernel; CUDA_LAUNCH_BLOCKING=1 shows from which)",
           current_real_device(), status);
  }
  return error == cudaSuccess;
}

void fail(KernelContext& context, const PluginStatus& status) {
  context.status = status.code;
  std::snprintf(context.message, sizeof(context.message), "%.255s", status.message);
}

void take_error(std::int32_t device, PluginStatus* status) {
  DeviceState& state = state_of(device);
  const std::lock_guard lock(state.mutex);  // each failure is reported once
  volatile LateFailure* const failure = state.late_failure;
  if (failure == nullptr || failure->found != 1) return;
  if (failure->is_index == 1) {
    status->code = StatusCode::kIndexOutOfRange;
    write_late_index_error(status->message, sizeof(status->message), failure->op, failure->index,
                           failure->limit, device);
  } else {
    status->code = StatusCode::kInvalidValue;
    write_late_value_error(status->message, sizeof(status->message), failure->requirement, device);
  }
  failure->found = 0;
}

LateFailure* late_failure(KernelContext& context) { return state_of(context.device).late_failure; }

Scratch::Scratch(KernelContext& context, std::size_t bytes) : device_(context.device) {
  if (is_stopped(context)) return;
  PluginStatus status;
  data_ = host().allocate(device_, bytes, &status);
  if (data_ == nullptr) fail(context, status);
}
Scratch::~Scratch() {
  if (data_ != nullptr) host().deallocate(device_, data_);
}

KernelTable launch_table() { return on_device(std::make_index_sequence<kSlots>()); }

}  // namespace tern::cuda::device
