#pragma once

#include <cstddef>
#include <cstdint>

#include <tern/core/kernels/args.h>

namespace tern::kernels {

enum class Slot : std::int32_t {
#define TERN_SLOT(name, Args) name,
#include <tern/core/kernels/slots.def>
#undef TERN_SLOT
  kCount
};

/// How a kernel ended. Plain numbers, because a plugin returns them too.
enum class StatusCode : std::int32_t {
  kOk = 0,
  kUnsupportedDtype = 1,  // the op has no kernel for this dtype
  kIndexOutOfRange = 2,   // detail = the index, limit = the size
  kOutOfMemory = 3,
  kDeviceFault = 4,   // the message says what
  kInvalidValue = 5,  // of an element; the message says which rule it breaks
};

/// Where a kernel runs and how it ended; filled by the kernel only when it fails.
struct KernelContext {
  std::int32_t device = 0;  // ordinal
  void* stream = nullptr;   // of the device; null on the CPU
  StatusCode status = StatusCode::kOk;
  std::int64_t detail = 0, limit = 0;
  char message[256];  // a text when status is kDeviceFault or kInvalidValue, or kOutOfMemory on a
                      // device
};

/// The one form of every kernel: its arguments, untyped, and a context.
using KernelFn = void (*)(const void* args, KernelContext* context);

/// The kernels of one backend; null where it has none.
struct KernelTable {
  KernelFn kernels[static_cast<std::size_t>(Slot::kCount)] = {};
};

/// Ties each slot to its argument struct; the size lets a backend queue a call.
template <class Args>
struct SlotOf;
#define TERN_SLOT(name, Args)                \
  template <>                                \
  struct SlotOf<Args> {                      \
    static constexpr Slot slot = Slot::name; \
  };
#include <tern/core/kernels/slots.def>
#undef TERN_SLOT

constexpr const char* slot_name(Slot slot) {
  switch (slot) {
#define TERN_SLOT(name, Args) \
  case Slot::name:            \
    return #name;
#include <tern/core/kernels/slots.def>
#undef TERN_SLOT
    case Slot::kCount:
      break;
  }
  return "?";
}

constexpr std::size_t slot_args_size(Slot slot) {
  switch (slot) {
#define TERN_SLOT(name, Args) \
  case Slot::name:            \
    return sizeof(Args);
#include <tern/core/kernels/slots.def>
#undef TERN_SLOT
    case Slot::kCount:
      break;
  }
  return 0;
}

/// Puts a typed kernel into its slot: set(table, &my_reduce) with void my_reduce(const ReduceArgs&,
/// KernelContext&) is written set<ReduceArgs, my_reduce>(table).
template <class Args, void (*kernel)(const Args&, KernelContext&)>
void set(KernelTable& table) {
  table.kernels[static_cast<std::size_t>(SlotOf<Args>::slot)] = [](const void* args,
                                                                   KernelContext* context) {
    kernel(*static_cast<const Args*>(args), *context);
  };
}

}  // namespace tern::kernels
