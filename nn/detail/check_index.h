#pragma once

#include <cstddef>
#include <cstdint>

#include <tern/core/base/error.h>

namespace tern::nn::detail {

/// Throws IndexError unless `index` is below `limit`. The error text names `size`, the container's
/// size.
inline void check_index(const char* container, std::size_t index, std::size_t limit,
                        std::size_t size) {
  TERN_CHECK(index < limit, IndexError, container, ": Index out of range, got ",
             static_cast<std::int64_t>(index), " for a size of ", size);
}

}  // namespace tern::nn::detail
