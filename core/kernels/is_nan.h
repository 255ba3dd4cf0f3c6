#pragma once

#include <tern/core/kernels/host_device.h>

namespace tern::kernels {

/// Returns whether a number is NaN; of a vector, a mask per lane.
template <class V>
TERN_HOST_DEVICE auto is_nan(V value) {
  // NOLINTNEXTLINE(misc-redundant-expression): only NaN differs from itself.
  return value != value;
}

}  // namespace tern::kernels
