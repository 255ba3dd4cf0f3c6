#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include <tern/backends/cpu/kernels/strided.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/operand.h>
#include <tern/core/tensor/detail/allocator.h>

// Runs kernels that have only math dtypes on narrow ones: their operands are converted into
// temporary memory, and what the kernel writes is converted back. Calls with many rows are cut into
// pieces that stay in the cache.

namespace tern::cpu {

/// The operands of one call, converted to the math dtype.
template <class Args>
class Widened {
 public:
  /// Points the fields of `args`, whose operands are contiguous, to converted copies.
  explicit Widened(Args& args) {
    for (const kernels::Operand& operand : operands(args)) {
      if (!kernels::is_narrow(operand.dtype)) continue;
      const auto size = static_cast<std::int64_t>(element_size(operand.dtype));
      copies_.push_back({operand, operand.last / size, bytes_});
      bytes_ += static_cast<std::size_t>(copies_.back().count) * 4 + 63;
      bytes_ -= bytes_ % 64;
    }
    memory_ = static_cast<char*>(allocator().allocate(bytes_, 0));
    for (const Copy& copy : copies_) {
      void* const wide = memory_ + copy.offset;
      convert(widening_loop(copy.operand.dtype), wide, 4, copy.operand.pointer, copy.size(),
              copy.count);
      std::memcpy(copy.operand.field, &wide, sizeof(wide));
    }
    args.dtype = kernels::math_dtype(args.dtype);
  }
  ~Widened() { allocator().deallocate(memory_, bytes_, 0); }
  Widened(const Widened&) = delete;
  Widened& operator=(const Widened&) = delete;

  /// Converts what the kernel has written back to the operands of the call.
  void write_back() const {
    for (const Copy& copy : copies_) {
      if (!copy.operand.is_written) continue;
      convert(narrowing_loop(copy.operand.dtype), const_cast<void*>(copy.operand.pointer),
              copy.size(), memory_ + copy.offset, 4, copy.count);
    }
  }

 private:
  struct Copy {
    kernels::Operand operand;
    std::int64_t count;
    std::size_t offset;
    std::int64_t size() const { return static_cast<std::int64_t>(element_size(operand.dtype)); }
  };

  static Allocator& allocator() { return detail::allocator_of(kCPU); }

  static void convert(Loop loop, void* to, std::int64_t to_size, const void* from,
                      std::int64_t from_size, std::int64_t count) {
    constexpr std::int64_t kGrain = 32768;
    parallel_for(0, count, kGrain, [&](std::int64_t begin, std::int64_t end) {
      const void* const in = static_cast<const char*>(from) + begin * from_size;
      loop(static_cast<char*>(to) + begin * to_size, &in, end - begin, nullptr);
    });
  }

  std::vector<Copy> copies_;
  std::size_t bytes_ = 64;
  char* memory_;
};

/// Runs `kernel(args)`, in the math dtype if the dtype of the call is narrow. All operands are
/// contiguous.
template <class Args, class Kernel>
void run_widened(const Args& given, const Kernel& kernel) {
  if (!kernels::is_narrow(given.dtype)) return kernel(given);
  Args args = given;
  const Widened<Args> widened(args);
  kernel(args);
  widened.write_back();
}

/// Does the same for a kernel that computes `given.*rows` rows independently. Operands that do not
/// grow with the rows are only read.
template <class Args, class Kernel>
void run_widened_rows(const Args& given, std::int64_t Args::*rows, const Kernel& kernel) {
  constexpr std::int64_t kPieceBytes = 32768;
  const std::int64_t count = given.*rows;
  Args one = given, all = given;
  one.*rows = 1;
  const kernels::Operands of_row = operands(one), of_all = operands(all);
  std::int64_t row_bytes = 1;
  for (const kernels::Operand& operand : of_row) row_bytes = std::max(row_bytes, operand.last);
  if (!kernels::is_narrow(given.dtype) || row_bytes > kPieceBytes) {
    return run_widened(given, kernel);
  }
  parallel_for(0, count, kPieceBytes / row_bytes, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t piece = std::max<std::int64_t>(kPieceBytes / row_bytes, 1);
    for (; begin < end; begin += piece) {
      Args part = given;
      part.*rows = std::min(piece, end - begin);
      auto whole = of_all.begin();
      auto row = of_row.begin();
      for (const kernels::Operand& operand : operands(part)) {
        if (row->last != whole->last) {
          const void* const start = static_cast<const char*>(operand.pointer) + begin * row->last;
          std::memcpy(operand.field, &start, sizeof(start));
        }
        ++row, ++whole;
      }
      run_widened(part, kernel);
    }
  });
}

}  // namespace tern::cpu
