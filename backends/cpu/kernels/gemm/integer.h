#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include <tern/backends/cpu/kernels/support/divide_up.h>
#include <tern/backends/cpu/kernels/support/scratch.h>
#include <tern/backends/cpu/kernels/support/span.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/families/gemm.h>

// Products of integers. Sums and products wrap around, so the numbers are unsigned, and words of 2
// bytes serve int8, uint8 and int16: the low bits of a result depend on the low bits of its
// operands alone.

namespace tern::cpu {

/// Returns a * b. The compiler would multiply words of 2 bytes as int, which may overflow.
template <class U>
constexpr U times(U a, U b) {
  return static_cast<U>(1U * a * b);
}

/// Functions that convert elements of one size to words of type U and back.
template <class U>
struct IntegerFormat {
  /// Sets to[i * to_step] = from[i * step] for i < n.
  void (*read)(U* to, std::int64_t to_step, const void* from, std::int64_t step, std::int64_t n);
  /// Sets c[i] = sums[i] + beta * c[i] for i < n; if beta == 0, does not read c.
  void (*add)(void* c, const U* sums, U beta, std::int64_t n);
  /// Returns the sum of a[i * step] * x[i].
  U (*dot)(const void* a, std::int64_t step, const U* x, std::int64_t n);
  /// Sets sums[i] += a[i] * x.
  void (*accumulate)(U* sums, const void* a, U x, std::int64_t n);
};

template <class U, class S>
inline constexpr IntegerFormat<U> kIntegerFormat = {
    [](U* to, std::int64_t to_step, const void* from, std::int64_t step, std::int64_t n) {
      const S* const elements = static_cast<const S*>(from);
      if (to_step == 1 && step == 1) {
        for (std::int64_t i = 0; i < n; ++i) to[i] = elements[i];
      } else {
        for (std::int64_t i = 0; i < n; ++i) to[i * to_step] = elements[i * step];
      }
    },
    [](void* c, const U* sums, U beta, std::int64_t n) {
      S* const elements = static_cast<S*>(c);
      if (beta == 0) {
        for (std::int64_t i = 0; i < n; ++i) elements[i] = static_cast<S>(sums[i]);
      } else {
        for (std::int64_t i = 0; i < n; ++i) {
          elements[i] = static_cast<S>(sums[i] + times<U>(beta, elements[i]));
        }
      }
    },
    [](const void* a, std::int64_t step, const U* x, std::int64_t n) {
      const S* const elements = static_cast<const S*>(a);
      U sum = 0;
      if (step == 1) {
        for (std::int64_t i = 0; i < n; ++i) sum += times<U>(elements[i], x[i]);
      } else {
        for (std::int64_t i = 0; i < n; ++i) sum += times<U>(elements[i * step], x[i]);
      }
      return sum;
    },
    [](U* sums, const void* a, U x, std::int64_t n) {
      const S* const elements = static_cast<const S*>(a);
      for (std::int64_t i = 0; i < n; ++i) sums[i] += times<U>(elements[i], x);
    }};

/// Multiplies some rows of one matrix: blocks of B are packed into words, then strips of A.
template <class U>
class IntegerRows {
 public:
  static constexpr int kRows = 4, kVectors = 2, kWidth = kVectors * kLanes<U>;
  static constexpr std::int64_t kSteps = 256, kColumns = 128;  // of a block of B, 128 or 256 KB
  static constexpr std::int64_t kMemory = kSteps * (kColumns + kRows);
  static constexpr std::int64_t kDotColumns = 8;

  /// `c_col_stride` must be 1 for more than kDotColumns columns.
  IntegerRows(const kernels::GemmArgs& args, std::int64_t c_col_stride,
              const IntegerFormat<U>& format, std::int64_t size, std::int64_t index, U* memory)
      : args_(args),
        c_col_stride_(c_col_stride),
        format_(format),
        size_(size),
        a_(static_cast<const char*>(args.a) + index * args.a_batch_stride * size),
        b_(static_cast<const char*>(args.b) + index * args.b_batch_stride * size),
        c_(static_cast<char*>(args.c) + index * args.c_batch_stride * size),
        packed_b_(memory),
        packed_a_(memory + kSteps * kColumns) {}

  /// Computes the rows [begin, end).
  void multiply(std::int64_t begin, std::int64_t end) {
    if (args_.k > 0) {
      const bool along_k = args_.a_col_stride == 1;
      if (args_.n == 1 && args_.a_row_stride == 1 && !along_k) {
        return multiply_by_column(begin, end);
      }
      if (args_.n == 1 || (args_.n <= kDotColumns && along_k)) return multiply_by_dot(begin, end);
    }
    for (std::int64_t column = 0; column < args_.n; column += kColumns) {
      const std::int64_t columns = std::min(kColumns, args_.n - column);
      std::int64_t p = 0;
      do {
        const std::int64_t steps = std::min(kSteps, args_.k - p);
        pack_b(p, steps, column, columns);
        for (std::int64_t row = begin; row < end; row += kRows) {
          const int rows = static_cast<int>(std::min<std::int64_t>(kRows, end - row));
          multiply_strip(row, rows, p, steps, column, columns);
        }
        p += kSteps;
      } while (p < args_.k);
    }
  }

 private:
  static U word(double x) { return static_cast<U>(static_cast<std::int64_t>(x)); }
  U beta(bool first) const { return first ? word(args_.beta) : 1; }
  const char* a(std::int64_t row, std::int64_t p) const {
    return a_ + (row * args_.a_row_stride + p * args_.a_col_stride) * size_;
  }
  const char* b(std::int64_t p, std::int64_t column) const {
    return b_ + (p * args_.b_row_stride + column * args_.b_col_stride) * size_;
  }
  char* c(std::int64_t row, std::int64_t column) const {
    return c_ + (row * args_.c_row_stride + column * c_col_stride_) * size_;
  }

  /// Stores the words of (p, column) at [column / kWidth][p][column % kWidth].
  void pack_b(std::int64_t p, std::int64_t steps, std::int64_t column, std::int64_t columns) {
    for (std::int64_t first = 0; first < columns; first += kWidth) {
      U* const group = packed_b_ + first * steps;
      const std::int64_t lanes = std::min<std::int64_t>(kWidth, columns - first);
      if (args_.b_col_stride == 1) {
        for (std::int64_t q = 0; q < steps; ++q) {
          format_.read(group + q * kWidth, 1, b(p + q, column + first), 1, lanes);
        }
      } else {
        for (std::int64_t j = 0; j < lanes; ++j) {
          format_.read(group + j, kWidth, b(p, column + first + j), args_.b_row_stride, steps);
        }
      }
    }
  }

  void multiply_strip(std::int64_t row, int rows, std::int64_t p, std::int64_t steps,
                      std::int64_t column, std::int64_t columns) {
    for (int i = 0; i < kRows; ++i) {  // rows beyond the end repeat the last one
      format_.read(packed_a_ + i, kRows, a(row + std::min(i, rows - 1), p), args_.a_col_stride,
                   steps);
    }
    for (std::int64_t first = 0; first < columns; first += kWidth) {
      const std::int64_t lanes = std::min<std::int64_t>(kWidth, columns - first);
      alignas(kVectorBytes) U bias[kWidth] = {};
      if (p == 0 && args_.bias != nullptr) {
        const char* const from =
            static_cast<const char*>(args_.bias) + (column + first) * args_.bias_stride * size_;
        format_.read(bias, 1, from, args_.bias_stride, lanes);
      }
      alignas(kVectorBytes) U sums[kRows][kWidth];
      multiply_tile(packed_b_ + first * steps, steps, bias, sums);
      for (int i = 0; i < rows; ++i) {
        format_.add(c(row + i, column + first), sums[i], beta(p == 0), lanes);
      }
    }
  }

  void multiply_tile(const U* b, std::int64_t steps, const U* bias, U (&sums)[kRows][kWidth]) {
    Vector<U> sum[kRows][kVectors] = {};
    const U* a = packed_a_;
    for (std::int64_t p = 0; p < steps; ++p, a += kRows, b += kWidth) {
#pragma GCC unroll 8
      for (int j = 0; j < kVectors; ++j) {
        const Vector<U> factor = load(b + j * kLanes<U>);
#pragma GCC unroll 8
        for (int i = 0; i < kRows; ++i) sum[i][j] += a[i] * factor;
      }
    }
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
      for (int j = 0; j < kVectors; ++j) {
        store(sums[i] + j * kLanes<U>, sum[i][j] * word(args_.alpha) + load(bias + j * kLanes<U>));
      }
    }
  }

  U bias(std::int64_t column) const {
    U word = 0;
    if (args_.bias != nullptr) {
      const char* const biases = static_cast<const char*>(args_.bias);
      format_.read(&word, 1, biases + column * args_.bias_stride * size_, 1, 1);
    }
    return word;
  }

  /// Multiplies rows by a few columns: by one, if they are not contiguous along k.
  void multiply_by_dot(std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t most = kMemory / kDotColumns;
    for (std::int64_t p = 0; p < args_.k; p += most) {
      const std::int64_t steps = std::min(most, args_.k - p);
      for (std::int64_t j = 0; j < args_.n; ++j) {
        format_.read(packed_b_ + j * steps, 1, b(p, j), args_.b_row_stride, steps);
      }
      for (std::int64_t row = begin; row < end; ++row) {
        for (std::int64_t j = 0; j < args_.n; ++j) {
          U sum = times(word(args_.alpha),
                        format_.dot(a(row, p), args_.a_col_stride, packed_b_ + j * steps, steps));
          if (p == 0) sum += bias(j);
          format_.add(c(row, j), &sum, beta(p == 0), 1);
        }
      }
    }
  }

  /// Multiplies columns of A that are contiguous by a single column.
  void multiply_by_column(std::int64_t begin, std::int64_t end) {
    U* const sums = packed_b_;
    for (std::int64_t row = begin; row < end; row += kMemory) {
      const std::int64_t rows = std::min(kMemory, end - row);
      std::fill_n(sums, rows, bias(0));
      for (std::int64_t p = 0; p < args_.k; ++p) {
        U factor;
        format_.read(&factor, 1, b(p, 0), 1, 1);
        format_.accumulate(sums, a(row, p), times(word(args_.alpha), factor), rows);
      }
      if (args_.c_row_stride == 1) {
        format_.add(c(row, 0), sums, beta(true), rows);
      } else {
        for (std::int64_t i = 0; i < rows; ++i) format_.add(c(row + i, 0), sums + i, beta(true), 1);
      }
    }
  }

  const kernels::GemmArgs& args_;
  const std::int64_t c_col_stride_;
  const IntegerFormat<U>& format_;
  const std::int64_t size_;
  const char* const a_;
  const char* const b_;
  char* const c_;
  U* const packed_b_;
  U* const packed_a_;
};

/// Multiplies matrices of integers of `size` bytes. Returns false if out of memory.
template <class U>
bool multiply_words(kernels::GemmArgs args, const IntegerFormat<U>& format, std::int64_t size) {
  // The transposed product has few columns.
  std::int64_t c_col_stride = 1;
  const bool few_rows = args.m <= IntegerRows<U>::kDotColumns && args.m < args.n && args.k > 0;
  if (args.bias == nullptr && (args.m == 1 || (few_rows && args.b_row_stride == 1))) {
    std::swap(args.m, args.n);
    std::swap(args.a, args.b);
    std::swap(args.a_batch_stride, args.b_batch_stride);
    std::swap(args.a_row_stride, args.b_col_stride);
    std::swap(args.a_col_stride, args.b_row_stride);
    std::swap(args.c_row_stride, c_col_stride);
  }

  constexpr std::int64_t kWorkPerThread = 1 << 16;
  const std::int64_t grain = kWorkPerThread / (args.n * args.k + 1) + 1;
  std::atomic<bool> out_of_memory{false};
  parallel_for(0, args.batch * args.m, grain, [&](std::int64_t line, std::int64_t end) {
    U* const memory = thread_scratch<U>(IntegerRows<U>::kMemory);
    if (memory == nullptr) out_of_memory = true;
    while (line < end && memory != nullptr) {
      const std::int64_t index = line / args.m, first = line % args.m;
      const std::int64_t rows = std::min(args.m - first, end - line);
      IntegerRows<U>(args, c_col_stride, format, size, index, memory).multiply(first, first + rows);
      line += rows;
    }
  });
  return !out_of_memory;
}

/// Multiplies matrices of the integral dtype `args.dtype`. Returns false if out of memory.
inline bool multiply_integers(const kernels::GemmArgs& args) {
  switch (element_size(args.dtype)) {
    case 1:
      return multiply_words(args, kIntegerFormat<std::uint16_t, std::uint8_t>, 1);
    case 2:
      return multiply_words(args, kIntegerFormat<std::uint16_t, std::uint16_t>, 2);
    case 4:
      return multiply_words(args, kIntegerFormat<std::uint32_t, std::uint32_t>, 4);
    default:
      return multiply_words(args, kIntegerFormat<std::uint64_t, std::uint64_t>, 8);
  }
}

}  // namespace tern::cpu
