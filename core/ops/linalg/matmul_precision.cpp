// Compiled for size.

#include <tern/core/ops/linalg/matmul_precision.h>

#include <algorithm>
#include <atomic>
#include <iterator>

#include <tern/core/base/error.h>

namespace tern {
namespace {
using kernels::GemmPrecision;

std::atomic<GemmPrecision> precision_now{GemmPrecision::kHighest};

// In the order of GemmPrecision.
constexpr std::string_view kNames[] = {"highest", "high", "medium"};
}  // namespace

void set_float32_matmul_precision(std::string_view precision) {
  const auto name = std::find(std::begin(kNames), std::end(kNames), precision);
  TERN_CHECK(name != std::end(kNames), Error, precision,
             " is not one of 'highest', 'high', or 'medium'; the current "
             "setFloat32MatmulPrecision call has no effect.");
  precision_now.store(static_cast<GemmPrecision>(name - kNames), std::memory_order_relaxed);
}

std::string_view get_float32_matmul_precision() {
  return kNames[static_cast<std::size_t>(detail::float32_matmul_precision())];
}

kernels::GemmPrecision detail::float32_matmul_precision() {
  return precision_now.load(std::memory_order_relaxed);
}

}  // namespace tern
