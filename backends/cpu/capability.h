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

/// Returns the instruction sets of this build, the best last; ends with a null name.
TERN_API const Capability* capabilities();

/// Returns the set called `name`, or the best set that runs here if `name` is null or empty. Throws
/// Error, which lists the choices, if there is no such set or the machine lacks it.
TERN_API const Capability& choose_capability(const char* name);

}  // namespace tern::cpu
