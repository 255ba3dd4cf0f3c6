#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include <tern/backends/cpu/kernels/support/divide_up.h>
#include <tern/core/base/thread_pool.h>

// Sorts 64-bit items by some of their bits, from the lowest digit to the highest (LSD radix sort;
// Knuth, The Art of Computer Programming 3, 5.2.5). Stable.

namespace tern::cpu {

using Item = std::uint64_t;

constexpr int kMostDigitBits = 11;
constexpr std::int64_t kMostDigits = std::int64_t{1} << kMostDigitBits;

/// Sorts a few items in place.
template <class Less>
void insertion_sort(Item* items, std::int64_t n, const Less& less) {
  for (std::int64_t i = 1; i < n; ++i) {
    const Item item = items[i];
    std::int64_t j = i;
    for (; j > 0 && less(item, items[j - 1]); --j) items[j] = items[j - 1];
    items[j] = item;
  }
}

/// Sorts n items by `bits` bits from `shift` on. `counts` has kMostDigits numbers for each of
/// `parts` threads. Returns false, and moves nothing, if all items have the same digit.
inline bool radix_pass(Item* to, const Item* from, std::int64_t n, int shift, int bits, int parts,
                       std::int64_t* counts) {
  const std::int64_t digits = std::int64_t{1} << bits;
  const Item mask = static_cast<Item>(digits - 1);
  const auto begin_of = [&](std::int64_t part) { return n * part / parts; };
  parallel_for(0, parts, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t part = first; part < last; ++part) {
      std::int64_t* const count = counts + part * kMostDigits;
      std::fill_n(count, digits, 0);
      const std::int64_t end = begin_of(part + 1);
      for (std::int64_t i = begin_of(part); i < end; ++i) ++count[from[i] >> shift & mask];
    }
  });
  std::int64_t before = 0;
  for (std::int64_t digit = 0; digit < digits; ++digit) {
    const std::int64_t start = before;
    for (int part = 0; part < parts; ++part) {
      before += std::exchange(counts[part * kMostDigits + digit], before);
    }
    if (before - start == n) return false;
  }
  parallel_for(0, parts, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t part = first; part < last; ++part) {
      std::int64_t* const count = counts + part * kMostDigits;
      const std::int64_t end = begin_of(part + 1);
      for (std::int64_t i = begin_of(part); i < end; ++i) {
        to[count[from[i] >> shift & mask]++] = from[i];
      }
    }
  });
  return true;
}

/// Sorts n items by their bits from `low` to `high` - 1. Returns the sorted items, in `items` or in
/// `spare`.
inline Item* radix_sort(Item* items, Item* spare, std::int64_t n, int low, int high, int parts,
                        std::int64_t* counts) {
  if (high <= low) return items;
  constexpr std::int64_t kLongRow = 8192;  // from here on, fewer passes win over smaller tables
  const int most = n < kLongRow ? 8 : kMostDigitBits;
  const int passes = (high - low + most - 1) / most;
  const int bits = (high - low + passes - 1) / passes;
  for (int shift = low; shift < high; shift += bits) {
    if (radix_pass(spare, items, n, shift, std::min(bits, high - shift), parts, counts)) {
      std::swap(items, spare);
    }
  }
  return items;
}

}  // namespace tern::cpu
