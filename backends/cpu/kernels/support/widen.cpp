// Compiled for size.

#include <tern/backends/cpu/kernels/support/widen.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include <tern/backends/cpu/kernels/support/divide_up.h>
#include <tern/backends/cpu/kernels/support/scratch.h>
#include <tern/backends/cpu/kernels/support/strided.h>
#include <tern/core/base/thread_pool.h>

namespace tern::cpu {
namespace {

constexpr std::int64_t kWideSize = 4;  // float32 and int32

std::int64_t size_of(ScalarType dtype) { return static_cast<std::int64_t>(element_size(dtype)); }

/// Allocates memory only where it is made, because the work of threads must not throw.
class Widened {
 public:
  explicit Widened(const WidenedCall& call)
      : call_(call), rows_(field(call.rows)), columns_(field(call.columns)) {
    std::int64_t part_bytes = 1;
    auto one = call.part.begin();
    for (const kernels::Operand& operand : call.whole) {
      const auto place = static_cast<std::size_t>(static_cast<const char*>(operand.field) -
                                                  static_cast<const char*>(call.args));
      operands_.push_back({place, static_cast<const char*>(operand.pointer), operand.dtype,
                           one->last != operand.last, operand.is_written, one->last, 0});
      part_bytes = std::max(part_bytes, one->last);
      ++one;
    }
    const std::int64_t threads = in_parallel_region() ? 1 : get_num_threads();
    if (by_columns()) {
      const std::int64_t share = divide_up(rows_ * columns_, threads);
      const std::int64_t most =
          std::max(std::min(kColumnBytes / part_bytes, share), kFewestColumns);
      blocks_ = divide_up(columns_, most);
      piece_ = divide_up(columns_, blocks_);
      pieces_ = rows_ * blocks_;
    } else if (call.rows != WidenedCall::kNone) {
      piece_ = std::max<std::int64_t>(kPieceBytes / part_bytes, 1);
      pieces_ = divide_up(rows_, piece_);
    }
    parts_ = static_cast<int>(std::clamp<std::int64_t>(pieces_, 1, threads));
    for (Operand& operand : operands_) {
      operand.offset = part_memory_;
      if (!kernels::is_narrow(operand.dtype)) continue;
      part_memory_ +=
          static_cast<std::size_t>(divide_up(count_of(operand, piece_) * kWideSize, 64) * 64);
    }
    memory_.emplace(static_cast<std::int64_t>(part_memory_) * parts_);
  }

  Widened(const Widened&) = delete;
  Widened& operator=(const Widened&) = delete;

  void run() const {
    if (parts_ == 1) return run_part(0);
    tern::detail::run_parallel(
        parts_, [](void* data, int part) { static_cast<const Widened*>(data)->run_part(part); },
        const_cast<Widened*>(this));
  }

 private:
  static constexpr std::int64_t kPieceBytes = 32768;  // of rows of the longest operand
  static constexpr std::int64_t kColumnBytes = 262144, kFewestColumns = 64;

  struct Operand {
    std::size_t field;  // where the pointer lies in the arguments
    const char* data;
    ScalarType dtype;
    bool grows, is_written;
    std::int64_t bytes;  // of a row or column, or of all elements
    std::size_t offset;  // of the copy in the memory of a part
  };

  bool by_columns() const { return call_.columns != WidenedCall::kNone; }

  /// Returns the field of the arguments at `offset`, 1 if there is none.
  std::int64_t field(std::size_t offset) const {
    std::int64_t value = 1;
    if (offset != WidenedCall::kNone) {
      std::memcpy(&value, static_cast<const char*>(call_.args) + offset, sizeof(value));
    }
    return value;
  }

  template <class T>
  static void set_field(char* args, std::size_t offset, T value) {
    if (offset != WidenedCall::kNone) std::memcpy(args + offset, &value, sizeof(value));
  }

  /// Returns the number of elements of `count` rows or columns.
  static std::int64_t count_of(const Operand& operand, std::int64_t count) {
    return operand.bytes / size_of(operand.dtype) * (operand.grows ? count : 1);
  }

  void run_part(int part) const {
    alignas(std::max_align_t) char args[WidenedCall::kMaxBytes];
    std::memcpy(args, call_.args, call_.bytes);
    ScalarType dtype;
    std::memcpy(&dtype, args + call_.dtype, sizeof(dtype));
    set_field(args, call_.dtype, kernels::math_dtype(dtype));
    for (std::int64_t piece = part; piece < pieces_; piece += parts_) {
      const std::int64_t row = by_columns() ? piece / blocks_ : piece * piece_;
      const std::int64_t column = by_columns() ? piece % blocks_ * piece_ : 0;
      const std::int64_t count = std::min(piece_, by_columns() ? columns_ - column : rows_ - row);
      set_field(args, call_.rows, by_columns() ? 1 : count);
      set_field(args, call_.columns, count);
      convert_all(args, part, row, column, count, false);
      call_.run(call_.kernel, args);
      convert_all(args, part, row, column, count, true);
    }
  }

  /// Converts operands of a piece and sets their pointers, or converts results back.
  void convert_all(char* args, int part, std::int64_t row, std::int64_t column, std::int64_t count,
                   bool back) const {
    for (const Operand& operand : operands_) {
      const std::int64_t size = size_of(operand.dtype);
      const std::int64_t offset = row * columns_ * operand.bytes + column * size;
      const char* data = operand.data + (operand.grows ? offset : 0);
      if (kernels::is_narrow(operand.dtype)) {
        char* const wide =
            memory_->data() + static_cast<std::size_t>(part) * part_memory_ + operand.offset;
        const Matrix narrow{const_cast<char*>(data), size, columns_ * size};
        const Matrix copy{wide, kWideSize, count * kWideSize};
        const std::int64_t elements = count_of(operand, count);
        const std::int64_t columns = by_columns() && operand.grows ? count : 0;
        if (!back) {
          convert(widening_loop(operand.dtype), copy, narrow, elements, columns);
        } else if (operand.is_written) {
          convert(narrowing_loop(operand.dtype), narrow, copy, elements, columns);
        }
        data = wide;
      }
      set_field(args, operand.field, data);
    }
  }

  /// Elements in memory; the strides count bytes.
  struct Matrix {
    char* data;
    std::int64_t size, row_stride;
  };

  /// Converts `count` elements, in rows of `columns` unless that is 0.
  static void convert(Loop loop, const Matrix& to, const Matrix& from, std::int64_t count,
                      std::int64_t columns) {
    constexpr std::int64_t kGrain = 32768;
    if (columns != 0) {
      for (std::int64_t row = 0; row < count / columns; ++row) {
        const void* const in = from.data + row * from.row_stride;
        loop(to.data + row * to.row_stride, &in, columns, nullptr);
      }
      return;
    }
    parallel_for(0, count, kGrain, [&](std::int64_t begin, std::int64_t end) {
      const void* const in = from.data + begin * from.size;
      loop(to.data + begin * to.size, &in, end - begin, nullptr);
    });
  }

  const WidenedCall& call_;
  std::int64_t rows_, columns_;  // of the whole call
  std::vector<Operand> operands_;
  std::int64_t piece_ = 1, pieces_ = 1;  // rows or columns of a piece
  std::int64_t blocks_ = 1;              // of columns
  int parts_ = 1;                        // threads
  std::size_t part_memory_ = 64;
  std::optional<Scratch<char>> memory_;
};

}  // namespace

void run_widened_call(const WidenedCall& call) { Widened(call).run(); }

}  // namespace tern::cpu
