#include <tern/backends/cpu/kernels/support/strided.h>

#include <algorithm>
#include <cstdlib>

#include <tern/backends/cpu/kernels/support/dims.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/stride_walker.h>

namespace tern::cpu {
namespace {

constexpr std::int64_t kTileElements = 1024;
constexpr std::int64_t kLongRow = 128;        // rows from this length on are worth a call
constexpr std::int64_t kRowPiece = 16384;     // long rows are cut, so that threads share them
constexpr std::int64_t kRowsElements = 4096;  // of several shorter rows that make one tile
constexpr std::int64_t kTransposeSide = 32;
constexpr std::int64_t kMaxElementSize = 8;

/// One operand, as planes of rows x columns.
struct Plane {
  const char* data;
  const std::int64_t* outer_strides;
  std::int64_t row_stride, column_stride;
  std::int64_t element_size;
  Loop convert;  // null: none
};

class Strided {
 public:
  explicit Strided(const Job& job) : job_(job) {
    const int ndim = job.ndim;
    outer_ndim_ = std::max(ndim - 2, 0);
    columns_ = ndim > 0 ? job.sizes[ndim - 1] : 1;
    rows_ = ndim > 1 ? job.sizes[ndim - 2] : 1;
    out_ = plane(static_cast<const char*>(job.out), job.out_strides, job.out_size, job.narrow);
    for (Plane& in : in_) in.outer_strides = job.out_strides;
    for (int k = 0; k < job.inputs; ++k) {
      const Operand& in = job.in[k];
      in_[k] = plane(static_cast<const char*>(in.data), in.strides, in.element_size, in.widen);
    }
    choose_tile();
  }

  void run() const {
    const std::int64_t row_tiles = divide_up(rows_, tile_rows_);
    const std::int64_t column_tiles = divide_up(columns_, tile_columns_);
    const std::int64_t per_plane = row_tiles * column_tiles;
    const std::int64_t tiles = per_plane * product(outer_ndim_, job_.sizes);
    const std::int64_t grain = job_.grain / (tile_rows_ * tile_columns_);
    parallel_for(0, tiles, grain, [&](std::int64_t begin, std::int64_t end) {
      kernels::StrideWalker<4> outer(
          outer_ndim_, job_.sizes,
          {out_.outer_strides, in_[0].outer_strides, in_[1].outer_strides, in_[2].outer_strides});
      outer.seek(begin / per_plane);
      std::int64_t row = begin % per_plane / column_tiles * tile_rows_;
      std::int64_t column = begin % column_tiles * tile_columns_;
      for (std::int64_t tile = begin; tile < end; ++tile) {
        run_tile(outer.offsets, row, column);
        column += tile_columns_;
        if (column < columns_) continue;
        column = 0;
        row += tile_rows_;
        if (row < rows_) continue;
        row = 0;
        outer.next();
      }
    });
  }

 private:
  Plane plane(const char* data, const std::int64_t* strides, int element_size, Loop convert) const {
    const int ndim = job_.ndim;
    return {
        data,         strides, ndim > 1 ? strides[ndim - 2] : 0, ndim > 0 ? strides[ndim - 1] : 1,
        element_size, convert};
  }

  void choose_tile() {
    bool rows_are_contiguous = out_.column_stride == 1;
    bool transposed = is_transposed(out_);
    bool converts = out_.convert != nullptr;
    for (int k = 0; k < job_.inputs; ++k) {
      converts |= in_[k].convert != nullptr;
      rows_are_contiguous &= in_[k].column_stride == 1 || in_[k].column_stride == 0;
      transposed |= is_transposed(in_[k]);
    }
    if (rows_are_contiguous && columns_ >= kLongRow) {
      tile_rows_ = 1;
      by_rows_ = !converts && !packs_numbers();
      tile_columns_ = std::min(columns_, by_rows_ ? kRowPiece : kTileElements);
      if (by_rows_) tile_rows_ = std::clamp<std::int64_t>(kRowsElements / columns_, 1, rows_);
    } else {
      // A plain copy needs no buffers, so its tiles may be larger.
      const bool copies = job_.loops == nullptr;
      const std::int64_t elements = copies ? 4 * kTileElements : kTileElements;
      const std::int64_t side = copies ? 2 * kTransposeSide : kTransposeSide;
      tile_columns_ = std::min(columns_, transposed ? side : elements);
      tile_rows_ = std::min(rows_, elements / tile_columns_);
      tile_columns_ = std::min(columns_, elements / tile_rows_);
    }
  }

  /// Returns true if there is a loop for these inputs, one bit each, as single numbers.
  bool has_loop(unsigned numbers) const {
    return numbers != (1U << job_.inputs) - 1 && job_.loops[numbers] != nullptr;
  }

  /// Sets row_numbers_ to the inputs that are one number in each row, one bit each. Returns true if
  /// there is no loop for them, so that run_tile() has to pack one.
  bool packs_numbers() {
    if (job_.loops == nullptr) return false;
    for (int k = 0; k < job_.inputs; ++k) {
      if (in_[k].column_stride != 0) continue;
      if (!has_loop(row_numbers_ | (1U << k))) return true;
      row_numbers_ |= 1U << k;
    }
    return false;
  }

  /// Runs the loop on each row of a tile where it is.
  void run_rows(Tile out, const Tile* inputs, std::int64_t rows, std::int64_t columns) const {
    const void* in[3];
    for (std::int64_t row = 0; row < rows; ++row) {
      for (int k = 0; k < job_.inputs; ++k) {
        in[k] = inputs[k].data + row * inputs[k].row_stride * in_[k].element_size;
      }
      void* const to = out.data + row * out.row_stride * job_.out_size;
      job_.loops[row_numbers_](to, in, columns, job_.scale);
    }
  }

  bool is_transposed(const Plane& p) const {
    return rows_ > 1 && columns_ > 1 && p.row_stride != 0 &&
           std::abs(p.row_stride) < std::abs(p.column_stride);
  }

  void run_tile(const std::int64_t* offsets, std::int64_t row, std::int64_t column) const {
    const std::int64_t rows = std::min(tile_rows_, rows_ - row);
    const std::int64_t columns = std::min(tile_columns_, columns_ - column);
    const auto piece = [&](const Plane& p, std::int64_t offset) {
      offset += row * p.row_stride + column * p.column_stride;
      return Tile{const_cast<char*>(p.data) + offset * p.element_size, p.row_stride,
                  p.column_stride};
    };
    const auto is_dense = [&](const Tile& t) {
      return (t.column_stride == 1 || columns == 1) && (rows == 1 || t.row_stride == columns);
    };
    const Tile out = piece(out_, offsets[0]);
    if (job_.loops == nullptr) {
      return copy_tile(out, piece(in_[0], offsets[1]), rows, columns, job_.out_size);
    }
    if (by_rows_) {
      Tile inputs[3];
      for (int k = 0; k < job_.inputs; ++k) inputs[k] = piece(in_[k], offsets[k + 1]);
      return run_rows(out, inputs, rows, columns);
    }
    // Narrow elements are packed into the second half of a buffer, then converted into the first.
    alignas(64) char buffers[4][kTileElements * kMaxElementSize];
    constexpr std::int64_t kHalfBuffer = kTileElements * kMaxElementSize / 2;
    const void* in[3];
    unsigned numbers = 0;
    for (int k = 0; k < job_.inputs; ++k) {
      const Tile tile = piece(in_[k], offsets[k + 1]);
      const Loop widen = in_[k].convert;
      in[k] = tile.data;
      const bool is_number = (tile.column_stride == 0 || columns == 1) &&
                             (rows == 1 || tile.row_stride == 0) && has_loop(numbers | (1U << k));
      if (is_number) {
        numbers |= 1U << k;
      } else if (!is_dense(tile)) {
        char* const packed = buffers[k] + (widen != nullptr ? kHalfBuffer : 0);
        copy_tile({packed, columns, 1}, tile, rows, columns, static_cast<int>(in_[k].element_size));
        in[k] = packed;
      }
      if (widen != nullptr) {
        widen(buffers[k], &in[k], is_number ? 1 : rows * columns, nullptr);
        in[k] = buffers[k];
      }
    }
    const bool direct = is_dense(out);
    const void* result = direct ? out.data : buffers[3];
    if (job_.narrow != nullptr) {
      // Replaces an input: fewer buffers leave more of the first cache to the operands.
      int k = 0;
      while ((numbers >> k & 1) != 0) ++k;
      result = buffers[k];
    }
    job_.loops[numbers](const_cast<void*>(result), in, rows * columns, job_.scale);
    if (job_.narrow != nullptr) {
      void* const narrowed = direct ? out.data : buffers[3] + kHalfBuffer;
      job_.narrow(narrowed, &result, rows * columns, nullptr);
      result = narrowed;
    }
    if (!direct) {
      copy_tile(out, {static_cast<char*>(const_cast<void*>(result)), columns, 1}, rows, columns,
                job_.out_size);
    }
  }

  const Job& job_;
  int outer_ndim_;
  std::int64_t rows_, columns_;
  std::int64_t tile_rows_, tile_columns_;
  bool by_rows_ = false;      // each row of a tile is used where it is
  unsigned row_numbers_ = 0;  // then: the inputs that are one number in each row
  Plane out_, in_[3] = {};
};

}  // namespace

void run_strided(const Job& job) { Strided(job).run(); }

}  // namespace tern::cpu
