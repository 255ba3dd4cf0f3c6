#pragma once

#include <cstddef>
#include <cstdint>

#include <tern/core/kernels/view.h>

// A slot is one kernel that a backend may have, with one argument struct. The slots are declared in
// core/kernels/families, in one header per family, which contains
//
// - the argument struct: plain data that can be copied byte by byte, so the same struct serves the
//   CPU, a plugin, and a queue of work that runs later;
// - TERN_KERNEL_SLOT(name, Args), which ties the struct to its slot;
// - operands(args), the list of the pointers in the struct.
//
// The build collects the names of all slots from these headers.

namespace tern::kernels {

/// The slots, one enumerator each.
enum class Slot : std::int32_t {
#define TERN_SLOT(name, Args) name,
#include <tern/generated/kernel_slots.def>
#undef TERN_SLOT
  kCount
};
constexpr std::size_t kSlots = static_cast<std::size_t>(Slot::kCount);

/// Returns the name of a slot, for error texts.
constexpr const char* slot_name(Slot slot) {
  constexpr const char* kNames[] = {
#define TERN_SLOT(name, Args) #name,
#include <tern/generated/kernel_slots.def>
#undef TERN_SLOT
  };
  return slot < Slot::kCount ? kNames[static_cast<std::size_t>(slot)] : "?";
}

/// Maps an argument struct to its slot.
template <class Args>
struct SlotOf;

/// Declares that kernels with the arguments `Args` fill the slot `name`. Must stand on a line of
/// its own in a header of core/kernels/families.
#define TERN_KERNEL_SLOT(name, Args)         \
  template <>                                \
  struct SlotOf<Args> {                      \
    static constexpr Slot slot = Slot::name; \
  };

/// How a kernel ended. The numbers are fixed, because a plugin returns them too.
enum class StatusCode : std::int32_t {
  kOk = 0,
  kUnsupportedDtype = 1,  // the op has no kernel for this dtype
  kIndexOutOfRange = 2,   // detail = the index, limit = the size
  kOutOfMemory = 3,
  kDeviceFault = 4,   // the message names the fault
  kInvalidValue = 5,  // an element is invalid; the message names the requirement
};

/// Where a kernel runs and how it ended. The kernel writes to it only on failure.
struct KernelContext {
  std::int32_t device = 0;  // ordinal
  std::int32_t dim = -1;    // kIndexOutOfRange: the indexed dimension, if the kernel knows it
  void* stream = nullptr;   // stream of the device; null on the CPU
  StatusCode status = StatusCode::kOk;
  std::int64_t detail = 0, limit = 0;
  char message[256];  // set for kDeviceFault and kInvalidValue, and for kOutOfMemory on a device
};

/// The signature of every kernel: its untyped arguments and a context.
using KernelFn = void (*)(const void* args, KernelContext* context);

/// The kernels of one backend; null for missing ones.
struct KernelTable {
  KernelFn kernels[kSlots] = {};

  KernelFn& operator[](Slot slot) { return kernels[static_cast<std::size_t>(slot)]; }
  KernelFn operator[](Slot slot) const { return kernels[static_cast<std::size_t>(slot)]; }
};

/// Puts a typed kernel into its slot. Example: set<ReduceArgs, my_reduce>(table) with void
/// my_reduce(const ReduceArgs&, KernelContext&).
template <class Args, void (*kernel)(const Args&, KernelContext&)>
void set(KernelTable& table) {
  table[SlotOf<Args>::slot] = [](const void* args, KernelContext* context) {
    kernel(*static_cast<const Args*>(args), *context);
  };
}

}  // namespace tern::kernels
