#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <tern/backends/sim/kernels/number.h>

namespace tern::sim {

/// One element of a row and its index.
template <class T>
struct RowElement {
  Wide<T> value;
  std::int64_t index;
};

template <class T>
bool is_nan_element(Wide<T> value) {
  if constexpr (is_floating_point(dtype_of<T>())) {
    return std::isnan(value);
  } else {
    return false;
  }
}

/// Orders numbers; NaN is the largest.
template <class T>
bool is_smaller(Wide<T> a, Wide<T> b) {
  if (is_nan_element<T>(a)) return false;
  return is_nan_element<T>(b) || a < b;
}

/// Returns row `row` of a contiguous [outer, size, inner] tensor, sorted.
template <class T, class Args>
std::vector<RowElement<T>> sorted_row(const Args& args, std::int64_t row, bool descending) {
  std::vector<RowElement<T>> elements;
  for (std::int64_t j = 0; j < args.size; ++j) {
    const std::int64_t at = (row / args.inner * args.size + j) * args.inner + row % args.inner;
    elements.push_back({static_cast<Wide<T>>(static_cast<const T*>(args.in)[at]), j});
  }
  std::stable_sort(elements.begin(), elements.end(), [descending](const auto& a, const auto& b) {
    return descending ? is_smaller<T>(b.value, a.value) : is_smaller<T>(a.value, b.value);
  });
  return elements;
}

}  // namespace tern::sim
