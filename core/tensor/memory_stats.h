#pragma once

#include <cstdint>

namespace tern {

/// The figures of an allocator for one device since the program started.
struct MemoryStats {
  std::int64_t live_bytes = 0;           // handed out and not yet given back
  std::int64_t peak_bytes = 0;           // the most that live_bytes has been
  std::int64_t cached_bytes = 0;         // given back, kept for reuse
  std::int64_t allocations = 0;          // calls of allocate so far
  std::int64_t system_requests = 0;      // allocations that had to ask the system
  std::int64_t peak_reserved_bytes = 0;  // the most of live and cached ones together; CUDA only
};

}  // namespace tern
