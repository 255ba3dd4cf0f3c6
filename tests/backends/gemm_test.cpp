#include <array>

#include <tern/core/base/thread_pool.h>

#include "backends/kernel_test.h"

// The matrix product against a plain loop. The numbers are small integers, so that every sum is
// exact and results are compared bit for bit; one test measures rounding with other numbers.

namespace tern {
namespace {

using kernels::GemmArgs;
using kernels::StatusCode;
using testing::Noise;

/// How an operand of rows x columns lies in memory.
enum class Layout { kRows, kColumns, kPaddedRows, kPaddedColumns, kSteps, kOneRow, kOneColumn };
constexpr Layout kDense[] = {Layout::kRows, Layout::kColumns};
constexpr Layout kAll[] = {Layout::kRows,          Layout::kColumns, Layout::kPaddedRows,
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
  bool relu = false;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.batch << " x [" << c.m << ", " << c.k << "] x [" << c.k << ", " << c.n
             << "], layouts " << static_cast<int>(c.a) << ' ' << static_cast<int>(c.b)
             << ", repeat " << c.repeat_a << c.repeat_b << ", alpha " << c.alpha << ", beta "
             << c.beta << ", bias stride " << c.bias_stride << ", relu " << c.relu;
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

template <class T>
constexpr ScalarType kType = dtype_of<T>();

/// One product with its operands.
template <class T>
struct Product {
  Case given;
  Operand<T> a, b;
  using Sum = std::conditional_t<std::is_integral_v<T>, T, double>;
  std::vector<T> bias, before, c;
  std::vector<Sum> want;        // of every element of the memory of C
  std::vector<double> allowed;  // how far it may be away
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
    args.dtype = kType<T>;
    args.epilogue = given.relu ? kernels::GemmEpilogue::kRelu : kernels::GemmEpilogue::kNone;
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

  /// Checks C, its padding included. `tolerance` is relative to the product of the absolute values.
  void check(double tolerance = 0) {
    if (want.empty()) compute(tolerance);
    std::size_t place = 0;
    while (place < c.size() && distance(place) <= allowed[place]) ++place;
    ASSERT_EQ(place, c.size()) << given << ": the memory of C has " << c[place] << " there, not "
                               << want[place];
  }

  double distance(std::size_t place) const {
    if (static_cast<Sum>(c[place]) == want[place]) return 0;
    return std::abs(static_cast<double>(c[place]) - static_cast<double>(want[place]));
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
          const auto place = static_cast<std::size_t>(index * c_batch + i * c_row + j);
          sum *= static_cast<Sum>(given.alpha);
          if (given.beta != 0) sum += static_cast<Sum>(given.beta) * want[place];
          if (given.bias_stride >= 0) sum += bias[static_cast<std::size_t>(j * given.bias_stride)];
          want[place] = given.relu && sum < 0 ? 0 : sum;
          allowed[place] = tolerance * static_cast<double>(size);
        }
      }
    }
  }
};

class Gemm : public testing::KernelTest {
 protected:
  ~Gemm() override { set_num_threads(threads_); }

  template <class T>
  void check(const Case& given, std::initializer_list<int> thread_counts = {1}) {
    Product<T> product(given);
    for (const int threads : thread_counts) {
      set_num_threads(threads);
      ASSERT_EQ(run(product.args()).status, StatusCode::kOk);
      product.check();
    }
  }

  void check_all(const Case& given) {
    check<float>(given);
    check<double>(given);
    check<std::int64_t>(given);
  }

 private:
  int threads_ = get_num_threads();
};

TEST_P(Gemm, EverySizeAroundTheTiles) {
  for (const std::int64_t m : {1, 2, 3, 4, 5, 7, 8, 9, 17, 25}) {
    for (const std::int64_t n : {1, 3, 4, 5, 8, 15, 16, 17, 20, 24, 31, 33, 47, 48, 49, 65, 129}) {
      for (const std::int64_t k : {0, 1, 2, 15, 17, 33, 70}) {
        // All four pairs of layouts, spread over the sizes.
        const auto pick = static_cast<unsigned>(m + n + k);
        for (const Layout a : kDense) check<float>({m, n, k, a, kDense[pick % 2]});
        check<double>({m, n, k, kDense[pick / 2 % 2], kDense[pick % 2]});
      }
    }
  }
}

TEST_P(Gemm, EmptyResults) {
  for (const Case& given : {Case{0, 5, 3}, Case{5, 0, 3}, Case{0, 0, 0}}) check_all(given);
  Case none{4, 5, 3};
  none.batch = 0;
  check_all(none);
}

TEST_P(Gemm, EveryLayout) {
  for (const Layout a : kAll) {
    for (const Layout b : kAll) {
      for (const auto& [m, n, k] : {std::array{37, 50, 40},
                                    {3, 40, 140},
                                    {40, 3, 140},
                                    {60, 20, 40},
                                    {1, 70, 40},
                                    {70, 1, 40}}) {
        check_all({m, n, k, a, b});
      }
    }
  }
}

TEST_P(Gemm, SeveralBlocksOfEverything) {
  for (const Layout a : kDense) {
    for (const Layout b : kDense) {
      for (const auto& [m, n, k] : {std::array{9, 400, 800},
                                    {70, 33, 800},
                                    {1, 300, 800},
                                    {300, 1, 800},
                                    {20, 300, 129},
                                    {300, 20, 129}}) {
        check<float>({m, n, k, a, b}, {1, 2, 3, 4});
      }
      check<double>({50, 70, 400, a, b}, {1, 3});
      check<double>({300, 9, 129, a, b}, {1, 3});
      check<std::int64_t>({50, 70, 100, a, b}, {1, 3});
    }
  }
}

TEST_P(Gemm, EpilogueOnEveryPath) {
  for (const auto& [m, n, k] : {std::array{9, 40, 800},
                                {5, 40, 100},
                                {40, 5, 100},
                                {40, 17, 40},
                                {40, 1, 100},
                                {1, 40, 100},
                                {5, 7, 0}}) {
    for (const Layout layout : kDense) {
      for (const double beta : {0.0, 1.0, -2.0}) {
        for (const int bias_stride : {-1, 0, 1, 2}) {
          Case given{m, n, k, layout, layout};
          given.c_padding = n == 1 ? 0 : 3;
          given.beta = beta;
          given.bias_stride = bias_stride;
          given.relu = bias_stride != 0;
          given.alpha = bias_stride == 1 ? 1 : 2;
          check_all(given);
        }
      }
    }
  }
}

TEST_P(Gemm, Batches) {
  for (const std::int64_t batch : {2, 3, 12}) {
    for (const Layout layout : kDense) {
      for (const int repeat : {0, 1, 2, 3}) {
        for (const auto& [m, n, k] : {std::array{20, 30, 40}, {1, 40, 70}, {40, 5, 70}}) {
          Case given{m, n, k, layout, layout, batch};
          given.repeat_a = (repeat & 1) != 0;
          given.repeat_b = (repeat & 2) != 0;
          given.bias_stride = 1;
          given.c_padding = repeat == 2 ? 0 : 3;
          check<float>(given, {1, 3});
          check<double>(given, {3});
          check<std::int64_t>(given, {3});
        }
      }
    }
  }
}

TEST_P(Gemm, RoundsLikeASum) {
  for (const Layout a : kDense) {
    for (const Layout b : kDense) {
      for (const auto& [m, n, k] : {std::array{30, 40, 2000}, {8, 40, 2000}, {40, 8, 2000}}) {
        Product<float> single({m, n, k, a, b}, false);
        run(single.args());
        single.check(1e-5);
        Product<double> twice({m, n, k, a, b}, false);
        run(twice.args());
        twice.check(1e-14);
      }
    }
  }
}

TEST_P(Gemm, SameBitsForAnyNumberOfThreads) {
  for (const auto& [m, n, k] :
       {std::array{100, 90, 800}, {8, 300, 800}, {300, 9, 800}, {9, 9, 9}}) {
    for (const Layout layout : kDense) {
      Product<float> product({m, n, k, layout, Layout::kColumns}, false);
      set_num_threads(1);
      run(product.args());
      const std::vector<float> alone = product.c;
      for (const int threads : {2, 3, 4, 7}) {
        set_num_threads(threads);
        run(product.args());
        EXPECT_EQ(product.c, alone) << product.given << ", " << threads << " threads";
      }
    }
  }
}

TEST_P(Gemm, BetaZeroDoesNotReadC) {
  for (const std::int64_t m : {5, 40}) {
    Product<float> product({m, 37, 70});
    std::fill(product.before.begin(), product.before.end(), std::nanf(""));
    run(product.args());
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < 37; ++j) {
        EXPECT_FALSE(std::isnan(product.c[static_cast<std::size_t>(i * product.c_row + j)]));
      }
    }
  }
}

TEST_P(Gemm, NanStaysInItsRowAndColumnAndPassesRelu) {
  for (const auto& [m, n, k] : {std::array{9, 50, 70}, {50, 9, 70}, {40, 40, 40}}) {
    for (const Layout layout : kDense) {
      Case given{m, n, k, layout, layout};
      given.relu = true;
      Product<float> product(given);
      product.a.data[static_cast<std::size_t>((m - 1) * product.a.row)] = std::nanf("");
      product.b.data[static_cast<std::size_t>((n - 1) * product.b.column)] = std::nanf("");
      run(product.args());
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          EXPECT_EQ(std::isnan(product.c[static_cast<std::size_t>(i * product.c_row + j)]),
                    i == m - 1 || j == n - 1)
              << given << ", at " << i << ' ' << j;
        }
      }
    }
  }
}

TEST_P(Gemm, IntegersWrapAround) {
  Product<std::int64_t> product({1, 1, 1});
  product.a.data[0] = std::numeric_limits<std::int64_t>::max();
  product.b.data[0] = 2;
  run(product.args());
  EXPECT_EQ(product.c[0], -2);
}

TEST_P(Gemm, OtherDtypesAreRefused) {
  Product<float> product({2, 2, 2});
  GemmArgs args = product.args();
  args.dtype = kBool;
  EXPECT_EQ(run(args).status, StatusCode::kUnsupportedDtype);
}

TERN_KERNEL_TESTS(Gemm);

}  // namespace
}  // namespace tern
