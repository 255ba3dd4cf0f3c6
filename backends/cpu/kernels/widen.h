#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include <tern/backends/cpu/kernels/divide_up.h>
#include <tern/backends/cpu/kernels/strided.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/operand.h>
#include <tern/core/tensor/detail/allocator.h>

// Runs kernels that have only math dtypes on narrow ones: their operands are converted into
// temporary memory, and what the kernel writes is converted back. Calls with many rows are cut into
// pieces that stay in the cache.

namespace tern::cpu {

/// The call of a kernel in a narrow dtype, whose operands are contiguous. Allocates memory only
/// where it is made, because the work of threads must not throw.
template <class Args>
class WidenedCall {
 public:
  /// Takes `args` as one piece.
  explicit WidenedCall(const Args& args) : args_(args), rows_(nullptr) {
    for (const kernels::Operand& operand : operands(args_)) add(operand, operand.last, false);
    allocate(1, 1);
  }

  /// Takes `args` as pieces of rows. Operands that do not grow with the rows are only read.
  WidenedCall(const Args& args, std::int64_t Args::*rows) : args_(args), rows_(rows) {
    Args row = args;
    row.*rows = 1;
    const kernels::Operands of_row = operands(row);
    std::int64_t row_bytes = 1;
    auto one = of_row.begin();
    for (const kernels::Operand& operand : operands(args_)) {
      add(operand, one->last, one->last != operand.last);
      row_bytes = std::max(row_bytes, one->last);
      ++one;
    }
    const std::int64_t piece = std::max<std::int64_t>(kPieceBytes / row_bytes, 1);
    allocate(piece, divide_up(args.*rows, piece));
  }

  ~WidenedCall() { allocator().deallocate(memory_, bytes_, 0); }
  WidenedCall(const WidenedCall&) = delete;
  WidenedCall& operator=(const WidenedCall&) = delete;

  /// Calls `kernel(args)` with converted operands, for all pieces.
  template <class Kernel>
  void run(const Kernel& kernel) const {
    if (parts_ == 1) return run_part(0, kernel);
    struct Context {
      const WidenedCall* call;
      const Kernel* kernel;
    } context{this, &kernel};
    tern::detail::run_parallel(
        parts_,
        [](void* data, int part) {
          const auto& [call, part_kernel] = *static_cast<const Context*>(data);
          call->run_part(part, *part_kernel);
        },
        &context);
  }

 private:
  static constexpr std::int64_t kPieceBytes = 32768;  // of the longest operand

  struct Operand {
    std::size_t field;  // where the pointer lies in the arguments
    const char* data;
    ScalarType dtype;
    bool by_rows, is_written;
    std::int64_t bytes;  // of a row, or of all elements
    std::size_t offset;  // of the copy in the memory of a part
  };

  static Allocator& allocator() { return tern::detail::allocator_of(kCPU); }

  void add(const kernels::Operand& operand, std::int64_t bytes, bool by_rows) {
    const auto field = static_cast<std::size_t>(static_cast<const char*>(operand.field) -
                                                reinterpret_cast<const char*>(&args_));
    operands_.push_back({field, static_cast<const char*>(operand.pointer), operand.dtype, by_rows,
                         operand.is_written, bytes, 0});
  }

  void allocate(std::int64_t piece, std::int64_t pieces) {
    piece_ = piece;
    pieces_ = pieces;
    const std::int64_t threads = in_parallel_region() ? 1 : get_num_threads();
    parts_ = static_cast<int>(std::clamp<std::int64_t>(pieces, 1, threads));
    part_bytes_ = 64;
    for (Operand& operand : operands_) {
      operand.offset = part_bytes_;
      if (!kernels::is_narrow(operand.dtype)) continue;
      const std::int64_t count = count_of(operand, piece);
      part_bytes_ += static_cast<std::size_t>(divide_up(count * kWideSize, 64) * 64);
    }
    bytes_ = part_bytes_ * static_cast<std::size_t>(parts_);
    memory_ = static_cast<char*>(allocator().allocate(bytes_, 0));
  }

  /// Returns the number of elements of `rows` rows.
  static std::int64_t count_of(const Operand& operand, std::int64_t rows) {
    return operand.bytes / size_of(operand.dtype) * (operand.by_rows ? rows : 1);
  }
  static std::int64_t size_of(ScalarType dtype) {
    return static_cast<std::int64_t>(element_size(dtype));
  }

  template <class Kernel>
  void run_part(int part, const Kernel& kernel) const {
    for (std::int64_t piece = part; piece < pieces_; piece += parts_) {
      const std::int64_t row = piece * piece_;
      Args args = args_;
      args.dtype = kernels::math_dtype(args.dtype);
      const std::int64_t rows = rows_ == nullptr ? 1 : std::min(piece_, args.*rows_ - row);
      if (rows_ != nullptr) args.*rows_ = rows;
      for_each(part, row, [&](const Operand& operand, const char* data, void* copy) {
        const void* used = data;
        if (kernels::is_narrow(operand.dtype)) {
          convert(widening_loop(operand.dtype), copy, kWideSize, data, size_of(operand.dtype),
                  count_of(operand, rows));
          used = copy;
        }
        std::memcpy(reinterpret_cast<char*>(&args) + operand.field, &used, sizeof(used));
      });
      kernel(args);
      for_each(part, row, [&](const Operand& operand, const char* data, void* copy) {
        if (!operand.is_written || !kernels::is_narrow(operand.dtype)) return;
        convert(narrowing_loop(operand.dtype), const_cast<char*>(data), size_of(operand.dtype),
                copy, kWideSize, count_of(operand, rows));
      });
    }
  }

  /// Calls visit(operand, its elements from `row` on, its copy).
  template <class Visit>
  void for_each(int part, std::int64_t row, const Visit& visit) const {
    char* const memory = memory_ + static_cast<std::size_t>(part) * part_bytes_;
    for (const Operand& operand : operands_) {
      visit(operand, operand.data + (operand.by_rows ? row * operand.bytes : 0),
            memory + operand.offset);
    }
  }

  static void convert(Loop loop, void* to, std::int64_t to_size, const void* from,
                      std::int64_t from_size, std::int64_t count) {
    constexpr std::int64_t kGrain = 32768;
    parallel_for(0, count, kGrain, [&](std::int64_t begin, std::int64_t end) {
      const void* const in = static_cast<const char*>(from) + begin * from_size;
      loop(static_cast<char*>(to) + begin * to_size, &in, end - begin, nullptr);
    });
  }

  static constexpr std::int64_t kWideSize = 4;  // float32 and int32

  Args args_;
  std::int64_t Args::*rows_;  // null: all of the call is one piece
  std::vector<Operand> operands_;
  std::int64_t piece_, pieces_;  // rows of a piece
  int parts_;                    // threads
  std::size_t part_bytes_, bytes_;
  char* memory_;
};

/// Runs `kernel(args)`, in the math dtype if the dtype of the call is narrow. All operands are
/// contiguous.
template <class Args, class Kernel>
void run_widened(const Args& args, const Kernel& kernel) {
  if (!kernels::is_narrow(args.dtype)) return kernel(args);
  WidenedCall<Args>(args).run(kernel);
}

/// Does the same for a kernel that computes `args.*rows` rows independently. Operands that do not
/// grow with the rows are only read.
template <class Args, class Kernel>
void run_widened_rows(const Args& args, std::int64_t Args::*rows, const Kernel& kernel) {
  if (!kernels::is_narrow(args.dtype)) return kernel(args);
  if (args.*rows == 1) {
    WidenedCall<Args>(args).run(kernel);
  } else {
    WidenedCall<Args>(args, rows).run(kernel);
  }
}

}  // namespace tern::cpu
