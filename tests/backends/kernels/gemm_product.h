#pragma once

#include <array>
#include <initializer_list>
#include <ostream>
#include <utility>

#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/families/gemm.h>

#include "backends/kernel_test.h"

// One matrix product with its operands in memory and the result of the oracle.

namespace tern::testing::gemm {

using kernels::GemmArgs;
using kernels::GemmPrecision;

/// The memory layout of an operand of rows x columns.
enum class MatrixLayout {
  kRows,
  kColumns,
  kPaddedRows,
  kPaddedColumns,
  kSteps,
  kOneRow,
  kOneColumn
};
inline constexpr MatrixLayout kDense[] = {MatrixLayout::kRows, MatrixLayout::kColumns};
inline constexpr MatrixLayout kAll[] = {MatrixLayout::kRows,       MatrixLayout::kColumns,
                                        MatrixLayout::kPaddedRows, MatrixLayout::kPaddedColumns,
                                        MatrixLayout::kSteps,      MatrixLayout::kOneRow,
                                        MatrixLayout::kOneColumn};

struct Case {
  std::int64_t m, n, k;
  MatrixLayout a = MatrixLayout::kRows, b = MatrixLayout::kRows;
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

  Operand(MatrixLayout layout, std::int64_t rows, std::int64_t columns, std::int64_t count,
          bool repeat) {
    switch (layout) {
      case MatrixLayout::kRows:
        row = columns, column = 1;
        break;
      case MatrixLayout::kColumns:
        row = 1, column = rows;
        break;
      case MatrixLayout::kPaddedRows:
        row = columns + 5, column = 1;
        break;
      case MatrixLayout::kPaddedColumns:
        row = 1, column = rows + 7;
        break;
      case MatrixLayout::kSteps:
        row = 2 * columns + 1, column = 2;
        break;
      case MatrixLayout::kOneRow:
        row = 0, column = 1;
        break;
      case MatrixLayout::kOneColumn:
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
  std::vector<T> bias, before, c;
  std::vector<Exact<T>> want;   // the oracle's value of every element of C's memory
  std::vector<Exact<T>> sizes;  // the products of the absolute values
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
    return args_of(a.data, b.data, bias, c);
  }

  template <class U>
  GemmArgs args_of(const std::vector<U>& x, const std::vector<U>& y, const std::vector<U>& added,
                   std::vector<U>& out) const {
    GemmArgs args{};
    args.dtype = dtype_of<U>();
    args.precision = given.precision;
    args.batch = given.batch, args.m = given.m, args.n = given.n, args.k = given.k;
    args.a = x.data(), args.b = y.data(), args.c = out.data();
    args.a_batch_stride = a.batch, args.a_row_stride = a.row, args.a_col_stride = a.column;
    args.b_batch_stride = b.batch, args.b_row_stride = b.row, args.b_col_stride = b.column;
    args.c_batch_stride = c_batch, args.c_row_stride = c_row;
    args.bias = given.bias_stride < 0 ? nullptr : added.data();
    args.bias_stride = given.bias_stride;
    args.alpha = given.alpha, args.beta = given.beta;
    return args;
  }

  /// Rounds the operands to nearest even bfloat16.
  void round_operands() {
    for (auto* data : {&a.data, &b.data}) {
      for (float& x : *data) x = BFloat16(x);
    }
  }

  /// Checks that C and its padding are the oracle's numbers, rounded once. The numbers may differ
  /// by `tolerance`, relative to the product of the absolute values, before they are rounded.
  void check(double tolerance = 0) {
    if (want.empty()) compute_want(tolerance > 0);
    for (std::size_t at = 0; at < c.size(); ++at) {
      bool same = c[at] == static_cast<T>(want[at]);
      if constexpr (kFloating<T>) {
        const double slack = tolerance * sizes[at];
        same |=
            static_cast<T>(want[at] - slack) <= c[at] && c[at] <= static_cast<T>(want[at] + slack);
      }
      ASSERT_TRUE(same) << given << ": the memory of C has " << static_cast<double>(c[at])
                        << " there, not " << static_cast<double>(want[at]);
    }
  }

  void compute_want(bool with_sizes) {
    using Wide = std::vector<Exact<T>>;
    Wide x(a.data.begin(), a.data.end()), y(b.data.begin(), b.data.end());
    const Wide added(bias.begin(), bias.end());
    want.assign(before.begin(), before.end());
    run_oracle(args_of(x, y, added, want));
    sizes.assign(before.size(), 0);
    if (!with_sizes) return;
    for (Wide* data : {&x, &y}) {
      for (Exact<T>& number : *data) number = static_cast<Exact<T>>(std::abs(number));
    }
    GemmArgs args = args_of(x, y, added, sizes);
    args.alpha = 1;
    args.beta = 0;
    args.bias = nullptr;
    run_oracle(args);
  }
};

/// Calls `check` for products of these sizes with each layout, beta and stride of the bias.
template <class Check>
void for_each_bias_and_beta(std::initializer_list<std::array<int, 3>> sizes, const Check& check) {
  for (const auto& [m, n, k] : sizes) {
    for (const MatrixLayout layout :
         {MatrixLayout::kRows, MatrixLayout::kColumns, MatrixLayout::kSteps}) {
      for (const double beta : {0.0, 1.0, -2.0}) {
        for (const int bias_stride : {-1, 0, 1, 2}) {
          Case given{m, n, k, layout, layout};
          given.c_padding = n == 1 ? 0 : 3;
          given.beta = beta;
          given.bias_stride = bias_stride;
          given.alpha = bias_stride == 1 ? 1 : 2;
          check(given);
        }
      }
    }
  }
}

/// Calls `check` for batches with and without repeated matrices. The largest batch only adds
/// threads.
template <class Check>
void for_each_batch(bool is_slow, const Check& check) {
  for (const std::int64_t batch : {2, 3, 12}) {
    if (has_sanitizer() && batch != 3) continue;
    if (is_slow && batch == 12) continue;
    for (const MatrixLayout layout : kDense) {
      for (const int repeat : {0, 1, 2, 3}) {
        for (const auto& [m, n, k] : {std::array{20, 30, 40}, {1, 40, 70}, {40, 5, 70}}) {
          Case given{m, n, k, layout, layout, batch};
          given.repeat_a = (repeat & 1) != 0;
          given.repeat_b = (repeat & 2) != 0;
          // Rows of several matrices form one matrix only if the rows of the result do, too.
          for (const auto& [padding, bias_stride] : {std::pair{0, 1}, {3, 1}, {3, 2}}) {
            given.c_padding = padding;
            given.bias_stride = bias_stride;
            check(given);
          }
        }
      }
    }
  }
}

/// Compares products with the oracle, bit for bit.
class ProductTest : public KernelTest {
 protected:
  /// The medium precision is another path of the CPU's kernels. On CUDA it is an argument of
  /// cuBLAS, which cublas_test looks at.
  template <class T>
  void check(const Case& given) {
    Product<T> product(given);
    for (const auto precision : {GemmPrecision::kHighest, GemmPrecision::kMedium}) {
      product.given.precision = precision;
      ASSERT_EQ(run(product.args()).status, kernels::StatusCode::kOk);
      product.check();
      if (!std::is_same_v<T, float> || is_cuda()) break;
    }
  }

  /// Checks float32, float64 and int64; on CUDA, whose emulator is slow, float32 and a drawn dtype.
  void check_all(const Case& given) {
    check<float>(given);
    if (is_cuda()) {
      check_another(given);
      return;
    }
    check<double>(given);
    check<std::int64_t>(given);
  }

  /// Checks the narrow dtypes and int32.
  void check_narrow(const Case& given) {
    for (std::size_t i = 0; i < kNarrow; ++i) (this->*kChecks[i])(given);
  }

 private:
  using Check = void (ProductTest::*)(const Case&);
  static constexpr std::size_t kNarrow = 6;  // so many of them are narrow or int32
  static const Check kChecks[8];

  /// Checks one of these dtypes, drawn. With dtypes in turn, each would meet only some of the cases
  /// in loops of an even length.
  void check_another(const Case& given) {
    (this->*kChecks[(noise_.bits() >> 32) % std::size(kChecks)])(given);
  }

  Noise noise_{1};
};

inline constexpr ProductTest::Check ProductTest::kChecks[] = {
    &ProductTest::check<Half>,         &ProductTest::check<BFloat16>,
    &ProductTest::check<std::int32_t>, &ProductTest::check<std::int16_t>,
    &ProductTest::check<std::int8_t>,  &ProductTest::check<std::uint8_t>,
    &ProductTest::check<double>,       &ProductTest::check<std::int64_t>};

}  // namespace tern::testing::gemm
