#pragma once

#include <type_traits>

#include <tern/core/kernels/args.h>

namespace tern::kernels {

/// Which dtypes an elementwise op takes and gives; elementwise.def explains them.
enum class ElementwiseKind : std::int32_t { kFloat, kNumber, kInteger, kAny, kCompare };

struct ElementwiseInfo {
  const char* name;
  std::int32_t inputs;
  ElementwiseKind kind;
};

constexpr ElementwiseInfo kElementwiseInfo[] = {
#define TERN_ELEMENTWISE(name, inputs, kind) {#name, inputs, ElementwiseKind::kind},
#include <tern/core/kernels/elementwise.def>
#undef TERN_ELEMENTWISE
};
constexpr int kElementwiseOps = sizeof(kElementwiseInfo) / sizeof(kElementwiseInfo[0]);

/// The row of `op` in elementwise.def.
constexpr const ElementwiseInfo& elementwise_info(ElementwiseOp op) {
  return kElementwiseInfo[static_cast<int>(op)];
}

/// True when an op of `kind` takes elements of type T.
template <class T>
constexpr bool takes(ElementwiseKind kind) {
  if (kind == ElementwiseKind::kFloat) return std::is_floating_point_v<T>;
  if (kind == ElementwiseKind::kInteger) return std::is_same_v<T, std::int64_t>;
  return kind != ElementwiseKind::kNumber || !std::is_same_v<T, bool>;
}

/// The field of an Immediate that T reads.
template <class T>
constexpr T immediate_value(const Immediate& immediate) {
  if constexpr (is_floating_point(dtype_of<T>())) {
    return static_cast<T>(immediate.f);
  } else {
    return static_cast<T>(immediate.i);
  }
}

}  // namespace tern::kernels
