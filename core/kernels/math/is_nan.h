#pragma once

#include <tern/core/kernels/host_device.h>

namespace tern::kernels {

/// Returns true if a number is NaN. For a vector, returns a mask with one entry per lane.
template <class V>
TERN_HOST_DEVICE auto is_nan(V value) {
  // NOLINTNEXTLINE(misc-redundant-expression): only NaN differs from itself.
  return value != value;
}

}  // namespace tern::kernels
