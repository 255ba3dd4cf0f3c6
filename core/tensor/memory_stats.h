#pragma once

#include <cstdint>

namespace tern {

/// The figures of an allocator for one device since the program started.
struct MemoryStats {
  std::int64_t live_bytes = 0;           // allocated and not yet freed
  std::int64_t peak_bytes = 0;           // maximum of live_bytes
  std::int64_t cached_bytes = 0;         // freed, held for reuse
  std::int64_t allocations = 0;          // calls of allocate so far
  std::int64_t system_requests = 0;      // allocations that asked the system for memory
  std::int64_t peak_reserved_bytes = 0;  // maximum of live_bytes + cached_bytes; CUDA only
};

}  // namespace tern
