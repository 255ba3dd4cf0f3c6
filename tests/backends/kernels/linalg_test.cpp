#include <vector>

#include "backends/kernel_test.h"

#include <tern/core/kernels/families/linalg.h>

namespace tern {
namespace {

using namespace kernels;
using testing::Noise;
using testing::Number;

/// A row-major matrix.
template <class T>
struct Square {
  std::int64_t n;
  const T* elements;
  Number operator()(std::int64_t i, std::int64_t j) const {
    return static_cast<Number>(elements[i * n + j]);
  }
};

class Linalg : public testing::KernelTest {
 protected:
  template <class T>
  struct Result {
    std::vector<T> out;
    std::vector<std::int64_t> info;
  };

  template <class T>
  Result<T> compute(LinalgOp op, std::int64_t batch, std::int64_t n, const std::vector<T>& a,
                    std::int64_t columns = 0, const std::vector<T>& b = {},
                    bool by_oracle = false) {
    const std::int64_t size = op == LinalgOp::kDeterminant ? 1
                              : op == LinalgOp::kSolve     ? n * columns
                                                           : n * n;
    Result<T> result{std::vector<T>(static_cast<std::size_t>(batch * size), T(-7)),
                     std::vector<std::int64_t>(static_cast<std::size_t>(batch), -7)};
    const LinalgArgs args{op,       dtype_of<T>(),     batch,
                          n,        columns,           a.data(),
                          b.data(), result.out.data(), result.info.data()};
    if (by_oracle) {
      testing::run_oracle(args);
    } else {
      EXPECT_EQ(run(args).status, StatusCode::kOk);
    }
    return result;
  }

  /// Matrices with large elements off the diagonal, so that rows have to change places.
  template <class T>
  static std::vector<T> regular(std::int64_t batch, std::int64_t n) {
    Noise noise(static_cast<std::uint64_t>(n));
    std::vector<T> a(static_cast<std::size_t>(batch * n * n));
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i) % (n * n);
      const bool is_large = at / n == n - 1 - at % n;
      a[i] = static_cast<T>(noise.uniform(-1, 1) + (is_large ? static_cast<double>(n) : 0));
    }
    return a;
  }

  template <class T>
  void check(std::int64_t batch, std::int64_t n) {
    SCOPED_TRACE(::testing::Message() << dtype_of<T>() << ", " << batch << " of size " << n);
    const Number eps = std::numeric_limits<T>::epsilon() * static_cast<Number>(8 * n + 8);
    const std::vector<std::int64_t> fine(static_cast<std::size_t>(batch), 0);
    constexpr std::int64_t kColumns = 3;
    Noise noise(5);
    const std::vector<T> a = regular<T>(batch, n);
    std::vector<T> b(static_cast<std::size_t>(batch * n * kColumns));
    for (T& x : b) x = static_cast<T>(noise.uniform(-1, 1));

    const Result<T> inverse = compute(LinalgOp::kInverse, batch, n, a);
    const Result<T> solved = compute(LinalgOp::kSolve, batch, n, a, kColumns, b);
    const Result<T> dets = compute(LinalgOp::kDeterminant, batch, n, a);
    const Result<T> want_dets = compute(LinalgOp::kDeterminant, batch, n, a, 0, {}, true);
    EXPECT_EQ(inverse.info, fine);
    EXPECT_EQ(solved.info, fine);
    EXPECT_EQ(dets.info, fine);
    for (std::int64_t m = 0; m < batch; ++m) {
      const Square<T> matrix{n, a.data() + m * n * n}, inverted{n, inverse.out.data() + m * n * n};
      const T* const x = solved.out.data() + m * n * kColumns;
      const T* const right = b.data() + m * n * kColumns;
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          Number sum = 0;
          for (std::int64_t k = 0; k < n; ++k) sum += matrix(i, k) * inverted(k, j);
          ASSERT_NEAR(static_cast<double>(sum), i == j ? 1 : 0, static_cast<double>(eps));
        }
        for (std::int64_t j = 0; j < kColumns; ++j) {
          Number sum = 0;
          for (std::int64_t k = 0; k < n; ++k) {
            sum += matrix(i, k) * static_cast<Number>(x[k * kColumns + j]);
          }
          const auto want = static_cast<double>(right[i * kColumns + j]);
          ASSERT_NEAR(static_cast<double>(sum), want, static_cast<double>(eps));
        }
      }
      const T det = dets.out[static_cast<std::size_t>(m)];
      const Number want = want_dets.out[static_cast<std::size_t>(m)];
      ASSERT_TRUE(det == want || std::abs(det - want) <= eps * std::abs(want))
          << det << ' ' << want;
    }
    check_cholesky<T>(batch, n, a);
  }

  /// Of a a^T, whose upper triangle is spoiled.
  template <class T>
  void check_cholesky(std::int64_t batch, std::int64_t n, const std::vector<T>& a) {
    std::vector<T> product(a.size(), T(99));
    for (std::int64_t m = 0; m < batch; ++m) {
      const Square<T> matrix{n, a.data() + m * n * n};
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j <= i; ++j) {
          Number sum = 0;
          for (std::int64_t k = 0; k < n; ++k) sum += matrix(i, k) * matrix(j, k);
          product[static_cast<std::size_t>((m * n + i) * n + j)] = static_cast<T>(sum);
        }
      }
    }
    const Result<T> factor = compute(LinalgOp::kCholesky, batch, n, product);
    EXPECT_EQ(factor.info, std::vector<std::int64_t>(static_cast<std::size_t>(batch), 0));
    const Number eps = std::numeric_limits<T>::epsilon() * static_cast<Number>(8 * n * n * n + 8);
    for (std::int64_t m = 0; m < batch; ++m) {
      const Square<T> l{n, factor.out.data() + m * n * n}, want{n, product.data() + m * n * n};
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          if (j > i) {
            ASSERT_EQ(l(i, j), 0);
            continue;
          }
          Number sum = 0;
          for (std::int64_t k = 0; k <= j; ++k) sum += l(i, k) * l(j, k);
          ASSERT_NEAR(static_cast<double>(sum), static_cast<double>(want(i, j)),
                      static_cast<double>(eps));
        }
      }
    }
  }
};

TEST_P(Linalg, AgreesWithTheOracleAndSolvesItsEquations) {
  for (const int threads : {1, 3}) {
    set_num_threads(threads);
    for (const std::int64_t n : {0, 1, 2, 3, 17, 64}) {
      for (const std::int64_t batch : {0, 1, 5}) {
        check<float>(batch, n);
        check<double>(batch, n);
      }
    }
  }
}

TEST_P(Linalg, NamesTheFirstZeroPivotOfEachMatrix) {
  const std::vector<double> a = {1, 0, 0, 1, 1, 2, 2, 4, 0, 1, 0, 1, 0, 1, 1, 0};
  const std::vector<std::int64_t> want = {0, 2, 1, 0};
  EXPECT_EQ(compute(LinalgOp::kInverse, 4, 2, a).info, want);
  EXPECT_EQ(compute(LinalgOp::kSolve, 4, 2, a, 1, std::vector<double>(8)).info, want);
  const Result<double> dets = compute(LinalgOp::kDeterminant, 4, 2, a);
  EXPECT_EQ(dets.info, want);
  EXPECT_EQ(dets.out, (std::vector<double>{1, 0, 0, -1}));
}

TEST_P(Linalg, NamesTheFirstMinorThatIsNotPositiveDefinite) {
  for (const std::int64_t n : {1, 2, 17, 64, 130}) {
    for (std::int64_t bad = 0; bad < n; bad += n / 4 + 1) {
      for (const float element : {0.0f, -1.0f, std::nanf("")}) {
        std::vector<float> a(static_cast<std::size_t>(n * n));
        for (std::int64_t i = 0; i < n; ++i) a[static_cast<std::size_t>(i * n + i)] = 1;
        a[static_cast<std::size_t>(bad * n + bad)] = element;
        const Result<float> result = compute(LinalgOp::kCholesky, 1, n, a);
        EXPECT_EQ(result.info[0], bad + 1) << n << ", " << element;
      }
    }
  }
}

TEST_P(Linalg, OtherDtypesAreRefused) {
  LinalgArgs args{};
  args.dtype = kLong;
  EXPECT_EQ(run(args).status, StatusCode::kUnsupportedDtype);
}

TERN_KERNEL_TESTS(Linalg);

}  // namespace
}  // namespace tern
