#pragma once

#include <array>
#include <bit>
#include <ostream>

#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/families/gemm.h>

#include "backends/kernel_test.h"

// One matrix product with its operands in memory and the expected result of a plain loop.

namespace tern::testing::gemm {

using kernels::GemmArgs;
using kernels::GemmPrecision;

/// The memory layout of an operand of rows x columns.
enum class Layout { kRows, kColumns, kPaddedRows, kPaddedColumns, kSteps, kOneRow, kOneColumn };
inline constexpr Layout kDense[] = {Layout::kRows, Layout::kColumns};
inline constexpr Layout kAll[] = {Layout::kRows,          Layout::kColumns, Layout::kPaddedRows,
                                  Layout::kPaddedColumns, Layout::kSteps,   Layout::kOneRow,
                                  Layout::kOneColumn};

struct Case {
  std::int64_t m, n, k;
  Layout a = Layout::kRows, b = Layout::kRows;
  std::int64_t batch = 1;
  bool repeat_a = false, repeat_b = false;  // one matrix for the whole batch
  std::int64_t c_padding = 3;
  double alpha = 1, beta = 0;
  int bias_stride = -1;  // -1: no bias
  GemmPrecision precision = GemmPrecision::kHighest;
};

inline std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.batch << " x [" << c.m << ", " << c.k << "] x [" << c.k << ", " << c.n
             << "], layouts " << static_cast<int>(c.a) << ' ' << static_cast<int>(c.b)
             << ", repeat " << c.repeat_a << c.repeat_b << ", alpha " << c.alpha << ", beta "
             << c.beta << ", bias stride " << c.bias_stride;
}

template <class T>
struct Operand {
  std::int64_t row = 0, column = 0, batch = 0;
  std::vector<T> data;

  Operand(Layout layout, std::int64_t rows, std::int64_t columns, std::int64_t count, bool repeat) {
    switch (layout) {
      case Layout::kRows:
        row = columns, column = 1;
        break;
      case Layout::kColumns:
        row = 1, column = rows;
        break;
      case Layout::kPaddedRows:
        row = columns + 5, column = 1;
        break;
      case Layout::kPaddedColumns:
        row = 1, column = rows + 7;
        break;
      case Layout::kSteps:
        row = 2 * columns + 1, column = 2;
        break;
      case Layout::kOneRow:
        row = 0, column = 1;
        break;
      case Layout::kOneColumn:
        row = 1, column = 0;
        break;
    }
    const std::int64_t size =
        rows * columns == 0 ? 0 : (rows - 1) * row + (columns - 1) * column + 1;
    batch = repeat ? 0 : size;
    data.assign(static_cast<std::size_t>(repeat ? size : size * count), T(0));
  }
};

template <class T>
void fill(std::vector<T>& data, Noise& noise, bool integers) {
  for (T& x : data) {
    x = integers ? static_cast<T>(static_cast<std::int64_t>(noise.bits() >> 40) % 9 - 4)
                 : static_cast<T>(noise.uniform(-1, 1));
  }
}

/// One product with its operands.
template <class T>
struct Product {
  Case given;
  Operand<T> a, b;
  using Sum = std::conditional_t<std::is_integral_v<T>, T, double>;
  std::vector<T> bias, before, c;
  std::vector<Sum> want;        // expected value of every element of C's memory
  std::vector<double> allowed;  // allowed error of each element
  std::int64_t c_row, c_batch;

  explicit Product(const Case& x, bool integers = true)
      : given(x),
        a(x.a, x.m, x.k, x.batch, x.repeat_a),
        b(x.b, x.k, x.n, x.batch, x.repeat_b),
        c_row(x.n + x.c_padding),
        c_batch(x.m * c_row + x.c_padding) {
    Noise noise(static_cast<std::uint64_t>(x.m * 1000003 + x.n * 1009 + x.k));
    bias.resize(x.bias_stride < 0 ? 0 : static_cast<std::size_t>(x.n * x.bias_stride + 1));
    before.resize(static_cast<std::size_t>(x.batch * c_batch));
    for (auto* data : {&a.data, &b.data, &bias, &before}) fill(*data, noise, integers);
  }

  GemmArgs args() {
    c = before;
    GemmArgs args{};
    args.dtype = dtype_of<T>();
    args.precision = given.precision;
    args.batch = given.batch, args.m = given.m, args.n = given.n, args.k = given.k;
    args.a = a.data.data(), args.b = b.data.data(), args.c = c.data();
    args.a_batch_stride = a.batch, args.a_row_stride = a.row, args.a_col_stride = a.column;
    args.b_batch_stride = b.batch, args.b_row_stride = b.row, args.b_col_stride = b.column;
    args.c_batch_stride = c_batch, args.c_row_stride = c_row;
    args.bias = given.bias_stride < 0 ? nullptr : bias.data();
    args.bias_stride = given.bias_stride;
    args.alpha = given.alpha, args.beta = given.beta;
    return args;
  }

  /// Rounds the operands to nearest even bfloat16.
  void round_operands() {
    for (auto* data : {&a.data, &b.data}) {
      for (float& x : *data) {
        const auto bits = std::bit_cast<std::uint32_t>(x);
        x = std::bit_cast<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000);
      }
    }
  }

  /// Checks C including its padding. `tolerance` is relative to the product of the absolute values.
  void check(double tolerance = 0) {
    if (want.empty()) compute(tolerance);
    std::size_t at = 0;
    while (at < c.size() && distance(at) <= allowed[at]) ++at;
    ASSERT_EQ(at, c.size()) << given << ": the memory of C has " << c[at] << " there, not "
                            << want[at];
  }

  double distance(std::size_t at) const {
    if (static_cast<Sum>(c[at]) == want[at]) return 0;
    return std::abs(static_cast<double>(c[at]) - static_cast<double>(want[at]));
  }

  void compute(double tolerance) {
    want.assign(before.begin(), before.end());
    allowed.assign(before.size(), 0);
    for (std::int64_t index = 0; index < given.batch; ++index) {
      for (std::int64_t i = 0; i < given.m; ++i) {
        for (std::int64_t j = 0; j < given.n; ++j) {
          const T* x = a.data.data() + index * a.batch + i * a.row;
          const T* y = b.data.data() + index * b.batch + j * b.column;
          Sum sum = 0, size = 0;
          for (std::int64_t p = 0; p < given.k; ++p, x += a.column, y += b.row) {
            const Sum term = static_cast<Sum>(*x) * static_cast<Sum>(*y);
            sum += term;
            size += term < 0 ? -term : term;
          }
          const auto at = static_cast<std::size_t>(index * c_batch + i * c_row + j);
          sum *= static_cast<Sum>(given.alpha);
          if (given.beta != 0) sum += static_cast<Sum>(given.beta) * want[at];
          if (given.bias_stride >= 0) sum += bias[static_cast<std::size_t>(j * given.bias_stride)];
          want[at] = sum;
          allowed[at] = tolerance * static_cast<double>(size);
        }
      }
    }
  }
};

}  // namespace tern::testing::gemm
