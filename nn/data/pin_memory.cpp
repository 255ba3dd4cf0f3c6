#include <tern/nn/data/pin_memory.h>

#include <tern/core/kernels/backend.h>

namespace tern::data::detail {

bool can_pin() { return kernels::backend_of(kCUDA).device_count() > 0; }

}  // namespace tern::data::detail
