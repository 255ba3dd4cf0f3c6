#include <cstdlib>

#include <tern/backends/cuda/device/late_failure.h>
#include <tern/backends/cuda/device/launch.h>
#include <tern/backends/cuda/device/note.h>
#include <tern/backends/cuda/device/runtime.h>
#include <tern/backends/cuda/device/scratch.h>
#include <tern/core/kernels/late_error.h>

#include <backends/cuda/emulator/cusolver.h>

// The functions of the plugin that the kernels need when they run in the emulator.

namespace tern::cuda::device {
namespace {

LateFailure the_failure;

}  // namespace

LateFailure* late_failure(KernelContext&) { return &the_failure; }

// The emulator does not run late: errors of a launch are known immediately.
void after_emulated_launch(KernelContext& context) {
  if (the_failure.found == 0) return;
  if (the_failure.is_index == 0) {
    context.status = StatusCode::kInvalidValue;
    write_late_value_error(context.message, sizeof(context.message), the_failure.requirement,
                           context.device);
    the_failure = {};
    return;
  }
  context.status = StatusCode::kIndexOutOfRange;
  context.detail = the_failure.index;
  context.limit = the_failure.limit;
  write_late_index_error(context.message, sizeof(context.message), the_failure.op,
                         the_failure.index, the_failure.limit, context.device);
  the_failure = {};
}

std::int32_t real_device(std::int32_t device) { return device; }

bool check(cudaError_t error, std::int32_t, PluginStatus* status) {
  if (!succeeds(error)) status->code = StatusCode::kDeviceFault;
  return error == cudaSuccess;
}

void fail(KernelContext& context, const PluginStatus& status) { context.status = status.code; }

void note(const char* text) { emulator::notes().push_back(text); }

Scratch::Scratch(KernelContext& context, std::size_t bytes)
    : device_(context.device),
      data_(bytes > emulator::most_scratch() ? nullptr : std::malloc(bytes)) {
  if (data_ == nullptr) fail(context, StatusCode::kOutOfMemory, "out of memory");
  emulator::add_scratch(data_, bytes);
}
Scratch::~Scratch() {
  emulator::remove_scratch(data_);
  std::free(data_);
}

}  // namespace tern::cuda::device
