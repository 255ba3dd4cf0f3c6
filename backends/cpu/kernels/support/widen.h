#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <tern/core/kernels/math/math_dtype.h>
#include <tern/core/kernels/operand.h>

// Runs kernels that have only math dtypes on narrow ones: their operands are converted into
// temporary memory, and what the kernel writes is converted back. Calls with many rows or columns
// are cut into pieces that stay in the cache.

namespace tern::cpu {

/// The call of a kernel in a narrow dtype, whose operands are contiguous. A piece of the call is
/// all of it, some rows, or, if there are columns, some columns of one row. Operands that do not
/// grow with the pieces are only read.
struct WidenedCall {
  static constexpr std::size_t kMaxBytes = 512, kNone = SIZE_MAX;

  const void* args;
  std::size_t bytes;              // of the arguments
  kernels::Operands whole, part;  // of `args`, and of the same call on one row or column
  // Where these fields lie in the arguments.
  std::size_t dtype, rows = kNone, columns = kNone;
  void (*run)(const void* kernel, const void* args);
  const void* kernel;
};

/// Runs the kernel on all pieces of the call.
void run_widened_call(const WidenedCall& call);

/// Runs `kernel(args)`, in the math dtype if the dtype of the call is narrow, on pieces of rows or
/// columns where the call has such fields. All operands are contiguous.
template <class Args, class Kernel>
void run_widened_pieces(Args args, std::int64_t Args::*rows, std::int64_t Args::*columns,
                        const Kernel& kernel) {
  if (!kernels::is_narrow(args.dtype)) return kernel(args);
  static_assert(std::is_trivially_copyable_v<Args> && sizeof(Args) <= WidenedCall::kMaxBytes);
  const auto offset_of = [&](const auto& field) {
    return static_cast<std::size_t>(reinterpret_cast<const char*>(&field) -
                                    reinterpret_cast<const char*>(&args));
  };
  WidenedCall call{};
  Args part = args;
  if (rows != nullptr) part.*rows = 1, call.rows = offset_of(args.*rows);
  if (columns != nullptr) part.*columns = 1, call.columns = offset_of(args.*columns);
  call.args = &args;
  call.bytes = sizeof(Args);
  call.whole = operands(args);
  call.part = operands(part);
  call.dtype = offset_of(args.dtype);
  call.kernel = &kernel;
  call.run = [](const void* given, const void* wide) {
    (*static_cast<const Kernel*>(given))(*static_cast<const Args*>(wide));
  };
  run_widened_call(call);
}

/// Runs `kernel(args)`, in the math dtype if the dtype of the call is narrow. Operands may have
/// gaps, but no negative strides: all memory from the first to the last element is converted.
template <class Args, class Kernel>
void run_widened(const Args& args, const Kernel& kernel) {
  run_widened_pieces<Args>(args, nullptr, nullptr, kernel);
}

/// Does the same for a kernel that computes `args.*rows` rows independently. Operands that do not
/// grow with the rows are only read.
template <class Args, class Kernel>
void run_widened_rows(const Args& args, std::int64_t Args::*rows, const Kernel& kernel) {
  run_widened_pieces<Args>(args, args.*rows == 1 ? nullptr : rows, nullptr, kernel);
}

/// Does the same for a kernel on [rows, size, columns] that computes the columns independently.
template <class Args, class Kernel>
void run_widened_columns(const Args& args, std::int64_t Args::*rows, std::int64_t Args::*columns,
                         const Kernel& kernel) {
  constexpr std::int64_t kFewColumns = 32;  // rows of so few take longer to convert than whole ones
  const bool few = args.*columns < kFewColumns;
  run_widened_pieces<Args>(args, few && args.*rows == 1 ? nullptr : rows, few ? nullptr : columns,
                           kernel);
}

}  // namespace tern::cpu
