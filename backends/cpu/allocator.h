#pragma once

#include <tern/core/tensor/detail/allocator.h>

namespace tern::cpu {

/// Returns the caching allocator of host memory. Blocks of a size class (at most 12.5 % larger than
/// requested) wait in lists for reuse, small blocks in lists of the thread that freed them. Under
/// the address sanitizer every block comes from and returns to the system, so that overflows are
/// detected.
Allocator& allocator();

}  // namespace tern::cpu
