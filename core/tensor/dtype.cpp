#include <atomic>

#include <tern/core/tensor/dtype.h>

namespace tern {
namespace {
std::atomic<ScalarType> default_dtype{kFloat};
}  // namespace

ScalarType get_default_dtype() { return default_dtype.load(std::memory_order_relaxed); }

void set_default_dtype(ScalarType dtype) {
  TERN_CHECK(is_floating_point(dtype), DTypeError,
             "only floating-point types are supported as the default type, got ", dtype);
  default_dtype.store(dtype, std::memory_order_relaxed);
}

}  // namespace tern
