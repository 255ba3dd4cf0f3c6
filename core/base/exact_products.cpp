#include <tern/core/base/exact_products.h>

#include <atomic>

namespace tern {
namespace {

constinit std::atomic<bool> is_exact = false;

}  // namespace

void use_exact_quantized_products(StrictBool on) { is_exact.store(on, std::memory_order_relaxed); }

bool are_quantized_products_exact() { return is_exact.load(std::memory_order_relaxed); }

}  // namespace tern
