#pragma once

#include <cstddef>
#include <cstdint>

#include <tern/core/kernels/view.h>

// A slot is one kernel that a backend may have, with one argument struct. The slots are declared in
// core/kernels/families, one header per family, which hold
//
// - the argument struct: plain data that can be copied byte by byte, so the same struct serves the
//   CPU, a plugin, and a queue of work that runs later;
// - TERN_KERNEL_SLOT(name, Args), which ties the struct to its slot;
// - operands(args), the list of the pointers in it.
//
// The build collects the names of all slots from these headers.

namespace tern::kernels {

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

/// The slot of an argument struct.
template <class Args>
struct SlotOf;

/// Declares that kernels with the arguments `Args` fill the slot `name`. Stands on a line of its
/// own in a header of core/kernels/families.
#define TERN_KERNEL_SLOT(name, Args)         \
  template <>                                \
  struct SlotOf<Args> {                      \
    static constexpr Slot slot = Slot::name; \
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
  KernelFn kernels[kSlots] = {};

  KernelFn& operator[](Slot slot) { return kernels[static_cast<std::size_t>(slot)]; }
  KernelFn operator[](Slot slot) const { return kernels[static_cast<std::size_t>(slot)]; }
};

/// Puts a typed kernel into its slot: set(table, &my_reduce) with void my_reduce(const ReduceArgs&,
/// KernelContext&) is written set<ReduceArgs, my_reduce>(table).
template <class Args, void (*kernel)(const Args&, KernelContext&)>
void set(KernelTable& table) {
  table[SlotOf<Args>::slot] = [](const void* args, KernelContext* context) {
    kernel(*static_cast<const Args*>(args), *context);
  };
}

/// Whether a call only moves, casts or writes elements, which is done in every dtype; all others
/// compute, which is done in those of compute_dtypes.def. A family whose calls move says so in an
/// overload for its arguments.
template <class Args>
constexpr bool moves_only(const Args&) {
  return false;
}

}  // namespace tern::kernels
