#pragma once

#include <tern/core/tensor/detail/allocator.h>

namespace tern::cpu {

/// Host memory that is kept for reuse: blocks of a size class (at most 12.5 % above what was asked)
/// wait in lists, small ones in lists of the thread that freed them. Under the address sanitizer
/// every block comes from and returns to the system, so that overflows are seen.
Allocator& allocator();

}  // namespace tern::cpu
