#include <algorithm>
#include <cstring>

#include <tern/backends/cpu/kernels/support/span.h>
#include <tern/backends/cpu/kernels/support/strided.h>

namespace tern::cpu {
namespace {

template <class T>
void copy_rows(T* to, std::int64_t to_row, const T* from, std::int64_t from_row, std::int64_t rows,
               std::int64_t columns) {
  for (std::int64_t r = 0; r < rows; ++r) {
    copy_span(to + r * to_row, from + r * from_row, columns * static_cast<std::int64_t>(sizeof(T)));
  }
}

constexpr std::int64_t kTileBlockRows = 16, kBlockColumns = 64;

/// Transposes four elements of four columns into four elements of four rows.
template <class T>
void transpose_4x4(T* to, std::int64_t to_row, const T* from, std::int64_t from_column) {
  typedef T Four __attribute__((vector_size(4 * sizeof(T))));
  Four a, b, c, d;
  std::memcpy(&a, from, sizeof(a));
  std::memcpy(&b, from + from_column, sizeof(b));
  std::memcpy(&c, from + 2 * from_column, sizeof(c));
  std::memcpy(&d, from + 3 * from_column, sizeof(d));
  const Four ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Four ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Four cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Four cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  const Four row_0 = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
  const Four row_1 = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
  const Four row_2 = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
  const Four row_3 = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
  std::memcpy(to, &row_0, sizeof(a));
  std::memcpy(to + to_row, &row_1, sizeof(a));
  std::memcpy(to + 2 * to_row, &row_2, sizeof(a));
  std::memcpy(to + 3 * to_row, &row_3, sizeof(a));
}

/// Reads down the columns of `from`, which are contiguous.
template <class T>
void transpose_block(T* __restrict to, std::int64_t to_row, const T* __restrict from,
                     std::int64_t from_column, std::int64_t rows, std::int64_t columns) {
  std::int64_t c = 0;
  if (rows == kTileBlockRows && sizeof(T) >= 4) {
    for (; c + 4 <= columns; c += 4) {
      for (std::int64_t r = 0; r < kTileBlockRows; r += 4) {
        transpose_4x4(to + r * to_row + c, to_row, from + c * from_column + r, from_column);
      }
    }
  }
  for (; c < columns; ++c) {
    for (std::int64_t r = 0; r < rows; ++r) to[r * to_row + c] = from[c * from_column + r];
  }
}

/// Transposes in blocks through a small buffer: rows at a power-of-two distance would evict each
/// other from the cache.
template <class T>
void transpose(T* __restrict to, std::int64_t to_row, const T* __restrict from,
               std::int64_t from_column, std::int64_t rows, std::int64_t columns) {
  if (rows < kTileBlockRows || columns < kTileBlockRows) {
    return transpose_block(to, to_row, from, from_column, rows, columns);
  }
  T buffer[kTileBlockRows * kBlockColumns];
  for (std::int64_t c = 0; c < columns; c += kBlockColumns) {
    const std::int64_t width = std::min(kBlockColumns, columns - c);
    for (std::int64_t r = 0; r < rows; r += kTileBlockRows) {
      const std::int64_t height = std::min(kTileBlockRows, rows - r);
      transpose_block(buffer, kBlockColumns, from + c * from_column + r, from_column, height,
                      width);
      copy_rows(to + r * to_row + c, to_row, buffer, kBlockColumns, height, width);
    }
  }
}

template <class T>
void copy_any(T* __restrict to, std::int64_t to_row, std::int64_t to_column,
              const T* __restrict from, std::int64_t from_row, std::int64_t from_column,
              std::int64_t rows, std::int64_t columns) {
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      to[r * to_row + c * to_column] = from[r * from_row + c * from_column];
    }
  }
}

template <class T>
void copy_to_rows(T* __restrict to, std::int64_t to_row, const T* __restrict from,
                  std::int64_t from_row, std::int64_t from_column, std::int64_t rows,
                  std::int64_t columns) {
  if (from_column == 0 && columns == 2) {  // as repeat_interleave(2) along the last dimension
    for (std::int64_t r = 0; r < rows; ++r)
      to[r * to_row] = to[r * to_row + 1] = from[r * from_row];
    return;
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    if (from_column == 0) {
      std::fill_n(to + r * to_row, columns, from[r * from_row]);
    } else {
      gather_span(to + r * to_row, from + r * from_row, from_column, columns);
    }
  }
}

template <class T>
void copy_typed(const Tile& to, const Tile& from, std::int64_t rows, std::int64_t columns) {
  const auto target = reinterpret_cast<T*>(to.data);
  const auto source = reinterpret_cast<const T*>(from.data);
  if (to.column_stride == 1 && from.column_stride == 1) {
    copy_rows(target, to.row_stride, source, from.row_stride, rows, columns);
  } else if (to.column_stride == 1 && from.row_stride == 1 && from.column_stride != 0) {
    transpose(target, to.row_stride, source, from.column_stride, rows, columns);
  } else if (to.row_stride == 1 && from.column_stride == 1) {
    transpose(target, to.column_stride, source, from.row_stride, columns, rows);
  } else if (to.column_stride == 1) {
    copy_to_rows(target, to.row_stride, source, from.row_stride, from.column_stride, rows, columns);
  } else if (to.column_stride == 2 && from.column_stride == 1) {
    for (std::int64_t r = 0; r < rows; ++r) {
      scatter_pairs(target + r * to.row_stride, source + r * from.row_stride, columns);
    }
  } else {
    copy_any(target, to.row_stride, to.column_stride, source, from.row_stride, from.column_stride,
             rows, columns);
  }
}

}  // namespace

void copy_tile(const Tile& to, const Tile& from, std::int64_t rows, std::int64_t columns,
               int element_size) {
  switch (element_size) {
    case 1:
      return copy_typed<std::uint8_t>(to, from, rows, columns);
    case 2:
      return copy_typed<std::uint16_t>(to, from, rows, columns);
    case 4:
      return copy_typed<std::uint32_t>(to, from, rows, columns);
    default:
      return copy_typed<std::uint64_t>(to, from, rows, columns);
  }
}

}  // namespace tern::cpu
