#include <cstring>

#include <tern/backends/cpu/kernels/strided.h>

namespace tern::cpu {
namespace {

template <class T>
void copy_rows(T* __restrict to, std::int64_t to_row, const T* __restrict from,
               std::int64_t from_row, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const T* source = from + r * from_row;
    T* target = to + r * to_row;
    for (std::int64_t c = 0; c < columns; ++c) target[c] = source[c];
  }
}

/// Reads down the columns of `from`, which are contiguous there.
template <class T>
void transpose(T* __restrict to, std::int64_t to_row, const T* __restrict from,
               std::int64_t from_column, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kBlock = 16;
  for (std::int64_t r = 0; r < rows; r += kBlock) {
    const std::int64_t last_row = r + kBlock < rows ? r + kBlock : rows;
    for (std::int64_t c = 0; c < columns; ++c) {
      const T* source = from + c * from_column;
      for (std::int64_t i = r; i < last_row; ++i) to[i * to_row + c] = source[i];
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
void copy_typed(const Tile& to, const Tile& from, std::int64_t rows, std::int64_t columns) {
  const auto target = reinterpret_cast<T*>(to.data);
  const auto source = reinterpret_cast<const T*>(from.data);
  if (to.column_stride == 1 && from.column_stride == 1) {
    copy_rows(target, to.row_stride, source, from.row_stride, rows, columns);
  } else if (to.column_stride == 1 && from.row_stride == 1) {
    transpose(target, to.row_stride, source, from.column_stride, rows, columns);
  } else if (to.row_stride == 1 && from.column_stride == 1) {
    transpose(target, to.column_stride, source, from.row_stride, columns, rows);
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
