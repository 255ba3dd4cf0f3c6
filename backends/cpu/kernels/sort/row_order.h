#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include <tern/backends/cpu/kernels/sort/radix_sort.h>
#include <tern/backends/cpu/kernels/support/scratch.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/by_size.h>
#include <tern/core/kernels/order_key.h>

// Sorts the elements of a row, or selects some. Works on 64-bit items: the high bits are the
// element's key minus the smallest key of the row, the low bits its index. So the items differ, and
// their order is stable. Long rows of 8-byte elements leave too few bits for the key: then items
// with equal high bits are compared by `keys`.

namespace tern::cpu {

/// The elements of one row. They lie `step` apart.
struct Row {
  ScalarType dtype;
  const char* data;
  std::int64_t size, step;
};

class RowOrder {
 public:
  /// Uses memory of words_for(size, parts) words. A row is sorted by `parts` threads.
  RowOrder(std::int64_t size, int parts, std::uint64_t* memory)
      : keys_(memory),
        items_(memory + size),
        spare_(memory + 2 * size),
        counts_(reinterpret_cast<std::int64_t*>(memory + 3 * size)),
        parts_(parts) {}

  static std::int64_t words_for(std::int64_t size, int parts) {
    return 3 * size + parts * kMostDigits;
  }

  /// Reads a row, whose order is reversed if `descending`. The index of equal elements still
  /// increases.
  void read(const Row& row, bool descending) {
    size_ = row.size;
    const auto [low, high] = read_keys(row, 0, size_, descending);
    low_ = low;
    nan_key_ = visit_dtype(row.dtype,
                           [](auto tag) { return kernels::kNanKey<typename decltype(tag)::type>; });
    has_nan_ = is_floating_point(row.dtype) && !descending && high == nan_key_;
    index_bits_ = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size_ - 1)));
    key_bits_ = static_cast<int>(std::bit_width(high - low));
    // Twice the bits of an index tell apart most of the keys; the fewer bits, the fewer passes.
    const int bits = key_bits_ <= 32 ? 32 : std::min(64 - index_bits_, 2 * index_bits_ + 10);
    shift_ = std::max(key_bits_ - bits, 0);
    parallel_for(0, size_, kGrain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        items_[i] = high_part(keys_[i]) | static_cast<Item>(i);
      }
    });
  }

  /// Sorts the row and returns its items.
  const Item* sort() {
    if (size_ <= kShortRow) {
      insertion_sort(items_, size_, Less{this});
      return items_;
    }
    const int high = key_bits_ - shift_ + index_bits_;
    if (sort_items(size_, index_bits_, high); shift_ == 0 || sort_ties()) return items_;
    // Many items with equal high bits: sorts by the low bits of the keys, then by the high bits.
    const std::uint64_t low_mask = (std::uint64_t{1} << shift_) - 1;
    for (std::int64_t i = 0; i < size_; ++i) {
      items_[i] = ((keys_[i] - low_) & low_mask) << index_bits_ | static_cast<Item>(i);
    }
    sort_items(size_, index_bits_, index_bits_ + shift_);
    for (std::int64_t i = 0; i < size_; ++i) {
      const auto at = static_cast<Item>(index(items_[i]));
      items_[i] = high_part(keys_[at]) | at;
    }
    sort_items(size_, index_bits_, high);
    return items_;
  }

  /// Returns the first `count` items in sorted order; 0 < count <= size.
  const Item* first(std::int64_t count) {
    if (count >= size_ / 8) return sort();
    rank(count - 1);
    if (count <= kShortRow) {
      insertion_sort(items_, count, Less{this});
    } else {
      std::sort(items_, items_ + count, Less{this});
    }
    return items_;
  }

  /// Writes the indices of the first `count` elements in sorted order, at most kFew, of a row that
  /// was not read. Passes over blocks without an element among them.
  void first_few(const Row& row, bool descending, std::int64_t count, std::int64_t* indices) const {
    constexpr std::int64_t kBlock = 128;
    std::uint64_t best[kFew];
    std::int64_t found = 0;
    for (std::int64_t begin = 0; begin < row.size; begin += kBlock) {
      const std::int64_t end = std::min(begin + kBlock, row.size);
      const std::uint64_t low = read_keys(row, begin, end, descending).low;
      if (found == count && low >= best[count - 1]) continue;
      for (std::int64_t i = begin; i < end; ++i) {
        const std::uint64_t key = keys_[i - begin];
        if (found == count && key >= best[count - 1]) continue;
        std::int64_t at = found < count ? found++ : count - 1;
        for (; at > 0 && best[at - 1] > key; --at) {
          best[at] = best[at - 1];
          indices[at] = indices[at - 1];
        }
        best[at] = key;
        indices[at] = i;
      }
    }
  }
  static constexpr std::int64_t kFew = 16;

  /// Returns the item at a rank of the sorted row, and moves the items before it to the front.
  Item rank(std::int64_t rank) {
    std::int64_t begin = 0, end = size_;
    int high = key_bits_ - shift_ + index_bits_;
    // Radix selection: keeps the items whose digit is the digit of the wanted item.
    while (end - begin > kSelectRow && high > index_bits_) {
      const int bits = std::min(end - begin > kLongSelect ? kMostDigitBits : 8, high - index_bits_);
      high -= bits;
      narrow_to_digit(rank, high, (std::uint64_t{1} << bits) - 1, begin, end);
    }
    std::nth_element(items_ + begin, items_ + rank, items_ + end, Less{this});
    return items_[rank];
  }

  std::int64_t index(Item item) const {
    return static_cast<std::int64_t>(item & ((Item{1} << index_bits_) - 1));
  }
  std::uint64_t key(Item item) const {
    return shift_ == 0 ? (item >> index_bits_) + low_ : keys_[index(item)];
  }

  // Of rows that are not in descending order:
  bool is_nan(Item item) const { return has_nan_ && key(item) == nan_key_; }
  /// Returns the index of the first NaN of a row that has one.
  std::int64_t first_nan() const { return std::find(keys_, keys_ + size_, nan_key_) - keys_; }
  std::int64_t count_nan() const {
    return has_nan_ ? std::count(keys_, keys_ + size_, nan_key_) : 0;
  }

 private:
  static constexpr std::int64_t kGrain = 16384;
  static constexpr std::int64_t kShortRow = 40;    // insertion sort is faster
  static constexpr std::int64_t kSelectRow = 256;  // std::nth_element is faster
  static constexpr std::int64_t kLongSelect = 16384;
  static constexpr std::int64_t kLongRun = 32;  // equal high bits

  /// Compares items exactly.
  struct Less {
    const RowOrder* order;
    bool operator()(Item a, Item b) const {
      if (order->shift_ == 0 || (a ^ b) >> order->index_bits_ != 0) return a < b;
      const std::uint64_t key_a = order->keys_[order->index(a)];
      const std::uint64_t key_b = order->keys_[order->index(b)];
      return key_a != key_b ? key_a < key_b : a < b;
    }
  };

  /// The smallest and the largest of some keys.
  struct Range {
    std::uint64_t low, high;
  };

  /// Reads the keys of the elements [begin, end) of a row to the front of `keys`.
  Range read_keys(const Row& row, std::int64_t begin, std::int64_t end, bool descending) const {
    return visit_dtype(row.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const std::uint64_t flip = descending ? kernels::kNanKey<T> : 0;
      const T* const data = reinterpret_cast<const T*>(row.data) + begin * row.step;
      return row.step == 1 ? read_typed<T, true>(data, 1, end - begin, flip)
                           : read_typed<T, false>(data, row.step, end - begin, flip);
    });
  }

  template <class T, bool kContiguous>
  Range read_typed(const T* data, std::int64_t step, std::int64_t count, std::uint64_t flip) const {
    std::uint64_t low = ~std::uint64_t{0}, high = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint64_t key = kernels::order_key(data[kContiguous ? i : i * step]) ^ flip;
      keys_[i] = key;
      low = std::min(low, key);
      high = std::max(high, key);
    }
    return {low, high};
  }

  Item high_part(std::uint64_t key) const { return ((key - low_) >> shift_) << index_bits_; }

  void sort_items(std::int64_t count, int low, int high) {
    Item* const sorted = radix_sort(items_, spare_, count, low, high, parts_, counts_);
    if (sorted != items_) std::swap(items_, spare_);
  }

  /// Sorts runs of items with equal high bits by their keys. Returns false if a run is long.
  bool sort_ties() {
    for (std::int64_t begin = 0, end = 0; begin < size_; begin = end) {
      const Item high = items_[begin] >> index_bits_;
      for (end = begin + 1; end < size_ && items_[end] >> index_bits_ == high;) ++end;
      if (end - begin > kLongRun) return false;
      insertion_sort(items_ + begin, end - begin, Less{this});
    }
    return true;
  }

  /// Splits the items [begin, end): those with a smaller digit than the item at `rank` go to the
  /// front, those with an equal digit follow and become the new range.
  void narrow_to_digit(std::int64_t rank, int shift, std::uint64_t mask, std::int64_t& begin,
                       std::int64_t& end) {
    std::fill_n(counts_, mask + 1, 0);
    for (std::int64_t i = begin; i < end; ++i) ++counts_[items_[i] >> shift & mask];
    std::uint64_t digit = 0;
    std::int64_t before = begin;
    while (before + counts_[digit] <= rank) before += counts_[digit++];
    std::int64_t smaller = begin, equal = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      const Item item = items_[i];
      const std::uint64_t own = item >> shift & mask;
      items_[smaller] = item;
      spare_[equal] = item;
      smaller += own < digit ? 1 : 0;
      equal += own == digit ? 1 : 0;
    }
    std::copy_n(spare_, equal, items_ + smaller);
    begin = smaller;
    end = smaller + equal;
  }

  std::uint64_t* keys_;
  Item *items_, *spare_;
  std::int64_t* counts_;
  int parts_;
  std::int64_t size_ = 0;
  std::uint64_t low_ = 0, nan_key_ = 0;  // the smallest key; NaN's
  int index_bits_ = 0, key_bits_ = 0;
  int shift_ = 0;  // low bits of the keys that the items lack
  bool has_nan_ = false;
};

/// Calls visit(order, row) for every row, each thread with a RowOrder of its own. A single row is
/// shared by all threads.
template <class Visit>
void for_each_row(std::int64_t rows, std::int64_t size, const Visit& visit) {
  constexpr std::int64_t kRowGrain = 4096, kLongRow = 65536;  // elements per thread
  const std::int64_t threads = in_parallel_region() ? 1 : get_num_threads();
  const std::int64_t workers =
      std::clamp<std::int64_t>(rows * size / kRowGrain, 1, std::min(threads, rows));
  const int parts =
      static_cast<int>(workers > 1 ? 1 : std::clamp<std::int64_t>(size / kLongRow, 1, threads));
  const std::int64_t words = RowOrder::words_for(size, parts);
  const Scratch<std::uint64_t> memory(words * workers);
  parallel_for(0, workers, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t worker = first; worker < last; ++worker) {
      RowOrder order(size, parts, memory.data() + worker * words);
      const std::int64_t end = rows * (worker + 1) / workers;
      for (std::int64_t row = rows * worker / workers; row < end; ++row) visit(order, row);
    }
  });
}

/// Copies element `index` of a row to element `to` of `out`.
template <class Unit>
void copy_element(void* out, std::int64_t to, const Row& row, std::int64_t index) {
  static_cast<Unit*>(out)[to] = reinterpret_cast<const Unit*>(row.data)[index * row.step];
}

/// Returns row number `row` of a contiguous [outer, size, inner] tensor.
inline Row row_of(ScalarType dtype, const void* in, std::int64_t size, std::int64_t inner,
                  std::int64_t row) {
  const std::int64_t first = row / inner * size * inner + row % inner;
  const auto bytes = static_cast<std::int64_t>(element_size(dtype));
  return {dtype, static_cast<const char*>(in) + first * bytes, size, inner};
}

}  // namespace tern::cpu
