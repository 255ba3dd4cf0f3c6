#pragma once

#include <bit>
#include <cstddef>

namespace tern::cpu {

constexpr std::size_t kAlignment = 64;

/// Size classes: multiples of 64 up to 512 bytes, then eight steps per doubling.
struct SizeClass {
  int index;
  std::size_t size;
};

constexpr std::size_t kMaxAllocation = std::size_t(1) << 47;

/// Returns the class of 1 <= bytes <= kMaxAllocation.
constexpr SizeClass size_class(std::size_t bytes) {
  const std::size_t last = bytes - 1;
  if (last < 512) {
    const std::size_t unit = last / kAlignment;
    return {static_cast<int>(unit), (unit + 1) * kAlignment};
  }
  const int top = static_cast<int>(std::bit_width(last)) - 1;
  const int shift = top - 3;
  const std::size_t step = last >> shift;  // 8 to 15
  return {(top - 9) * 8 + static_cast<int>(step), (step + 1) << shift};
}

/// Returns the size of the class with this index.
constexpr std::size_t class_bytes(int index) {
  const auto i = static_cast<std::size_t>(index);
  return i < 8 ? (i + 1) * kAlignment : (i % 8 + 9) << (i / 8 + 5);
}

/// Blocks up to this size wait in lists of their thread.
constexpr std::size_t kSmallSize = std::size_t{64} << 10;
constexpr int kSmallClasses = size_class(kSmallSize).index + 1;
constexpr int kClasses = size_class(kMaxAllocation).index + 1;

}  // namespace tern::cpu
