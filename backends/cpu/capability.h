#pragma once

#include <tern/core/base/visibility.h>
#include <tern/core/kernels/slots.h>

namespace tern::cpu {

/// The kernels of one instruction set.
struct Capability {
  const char* name;
  bool (*runs_here)();
  void (*register_kernels)(kernels::KernelTable* table);
};

/// What this build contains, the best last; ends with a null name.
TERN_API const Capability* capabilities();

/// The one called `name`, or the best that runs here when `name` is null or empty.
/// Throws Error naming the choices when there is no such set or the machine lacks it.
TERN_API const Capability& choose_capability(const char* name);

}  // namespace tern::cpu
