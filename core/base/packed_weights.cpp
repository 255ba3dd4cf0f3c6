#include <tern/core/base/packed_weights.h>

#include <atomic>

namespace tern {
namespace {

constinit std::atomic<bool> is_packed = false;

}  // namespace

void use_packed_quantized_weights(StrictBool on) { is_packed.store(on, std::memory_order_relaxed); }

bool are_quantized_weights_packed() { return is_packed.load(std::memory_order_relaxed); }

}  // namespace tern
