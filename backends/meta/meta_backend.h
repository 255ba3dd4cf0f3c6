#pragma once

#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/device_traits.h>

namespace tern {

inline constexpr kernels::DeviceTraits kMetaTraits{.type_prefix = "Meta"};

/// Returns the backend of tensors with a shape and no data. Its kernels do nothing.
kernels::Backend& meta_backend();

}  // namespace tern
