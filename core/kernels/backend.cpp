#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/device_traits.h>

#include <atomic>

#include <tern/core/base/detail/op_scope.h>
#include <tern/core/base/error.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/families/random.h>
#include <tern/core/tensor/generator.h>

namespace tern {
namespace kernels {
namespace {

constinit std::atomic<Backend*> registered[kDeviceTypes] = {};

/// Registers the built-in backends once. If this throws, the next call tries again.
[[gnu::cold, gnu::noinline]] void register_all() {
  static const bool done = [] {
    get_num_threads();  // a bad TERN_NUM_THREADS throws here, since a kernel must not
    Backend* backends[kDeviceTypes] = {};
    detail::register_builtin_backends(backends);
    for (int i = 0; i < kDeviceTypes; ++i) {
      registered[i].store(backends[i], std::memory_order_release);
    }
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace

Backend& backend_of(DeviceType type) {
  const std::atomic<Backend*>& slot = registered[static_cast<int>(type)];
  Backend* backend = slot.load(std::memory_order_acquire);
  if (backend == nullptr) [[unlikely]] {
    register_all();
    backend = slot.load(std::memory_order_acquire);
  }
  return *backend;
}

void reserve_numbers(Generator& generator, std::uint64_t blocks, RandomArgs& args) {
  if (GraphCapture* const capture = capture_on(generator.device())) {
    return capture->reserve_numbers(generator, blocks, args);
  }
  args.seed = generator.current_seed();
  args.offset = generator.reserve(blocks);
}

namespace detail {
namespace {

// Returns the quoted name of the kernel. "abs_" runs the kernel of "abs".
std::string kernel_name(const char* op, DeviceType device) {
  std::string name = op;
  if (name.ends_with('_')) name.pop_back();
  return tern::detail::text_of('"', name, '_', device, '"');
}

}  // namespace

void throw_status(const char* op, Slot slot, ScalarType dtype, DeviceType device,
                  const KernelContext& context) {
  using tern::detail::raise;
  if (tern::detail::running_op != nullptr) op = tern::detail::running_op;
  switch (context.status) {
    case StatusCode::kOk:
      break;
    case StatusCode::kUnsupportedDtype:
      raise<NotImplementedError>(kernel_name(op, device), " not implemented for '", dtype, '\'');
    case StatusCode::kIndexOutOfRange:
      if (context.dim >= 0) {
        raise<IndexError>(op, ": index ", context.detail, " is out of bounds for dimension ",
                          context.dim, " with size ", context.limit);
      }
      raise<IndexError>(op, ": index out of range in self: index ", context.detail,
                        " is out of bounds for dimension with size ", context.limit);
    case StatusCode::kOutOfMemory:
      if (device == kCUDA) raise<OutOfMemoryError>(op, ": ", context.message);
      raise<OutOfMemoryError>(op, ": out of memory on ", device);
    case StatusCode::kInvalidValue:
      raise<Error>(op, ": ", context.message);
    case StatusCode::kDeviceFault:
      // Faults of queued work come late, so the running op and module are not necessarily to blame.
      if (traits_of(device).queues_work) {
        throw DeviceError(tern::detail::text_of(op, ": ", context.message));
      }
      raise<Error>(op, ": ", context.message);
  }
  raise<Error>(op, ": the ", slot_name(slot), " kernel of ", device,
               " ended with the unknown status ", static_cast<int>(context.status));
}

void throw_missing(const char* op, Slot slot, DeviceType device) {
  tern::detail::raise<NotImplementedError>(op, ": the backend of ", device, " has no ",
                                           slot_name(slot), " kernel");
}

}  // namespace detail
}  // namespace kernels

namespace detail {

Allocator& allocator_of(DeviceType type) { return kernels::backend_of(type).allocator(); }
Allocator& pinned_allocator() { return *kernels::backend_of(kCUDA).pinned_allocator(); }

}  // namespace detail
}  // namespace tern
