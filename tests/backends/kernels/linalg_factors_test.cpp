#include <algorithm>
#include <cmath>
#include <vector>

#include "backends/kernel_test.h"

#include <tern/core/kernels/families/linalg.h>

// Factorizations are checked by their products, because signs of vectors are not unique; what is
// unique is compared with the oracle.

namespace tern {
namespace {

using namespace kernels;
using testing::Noise;

template <class T>
class Dense {
 public:
  Dense(std::int64_t rows, std::int64_t columns)
      : rows_(rows), columns_(columns), elements_(static_cast<std::size_t>(rows * columns)) {}
  T* data() { return elements_.data(); }
  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  double operator()(std::int64_t i, std::int64_t j) const {
    return static_cast<double>(elements_[static_cast<std::size_t>(i * columns_ + j)]);
  }
  void set(std::int64_t i, std::int64_t j, double x) {
    elements_[static_cast<std::size_t>(i * columns_ + j)] = static_cast<T>(x);
  }
  Dense times(const Dense& other) const {
    Dense result(rows_, other.columns_);
    for (std::int64_t i = 0; i < rows_; ++i) {
      for (std::int64_t j = 0; j < other.columns_; ++j) {
        double sum = 0;
        for (std::int64_t k = 0; k < columns_; ++k) sum += (*this)(i, k) * other(k, j);
        result.set(i, j, sum);
      }
    }
    return result;
  }
  Dense transposed() const {
    Dense result(columns_, rows_);
    for (std::int64_t i = 0; i < rows_; ++i) {
      for (std::int64_t j = 0; j < columns_; ++j) result.set(j, i, (*this)(i, j));
    }
    return result;
  }
  /// Returns the largest difference.
  double distance(const Dense& other) const {
    double largest = 0;
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      const double d = std::abs(static_cast<double>(elements_[i] - other.elements_[i]));
      largest = std::isnan(d) ? 1e9 : std::max(largest, d);
    }
    return largest;
  }
  static Dense identity(std::int64_t n) {
    Dense result(n, n);
    for (std::int64_t i = 0; i < n; ++i) result.set(i, i, 1);
    return result;
  }
  static Dense random(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
    Noise noise(seed);
    Dense result(rows, columns);
    for (T& x : result.elements_) x = static_cast<T>(noise.uniform(-1, 1));
    return result;
  }

 private:
  std::int64_t rows_, columns_;
  std::vector<T> elements_;
};

class LinalgFactors : public testing::KernelTest {
 protected:
  std::int64_t call(LinalgArgs& args, bool by_oracle) {
    std::int64_t info = -7;
    args.batch = 1;
    args.info = &info;
    if (by_oracle) {
      testing::run_oracle(args);
    } else {
      EXPECT_EQ(run(args).status, StatusCode::kOk);
    }
    return info;
  }

  template <class T>
  static LinalgArgs args_of(LinalgOp op, Dense<T>& a) {
    LinalgArgs args{};
    args.op = op;
    args.dtype = dtype_of<T>();
    args.m = a.rows();
    args.n = a.columns();
    args.a = a.data();
    return args;
  }

  template <class T>
  void check_qr(Dense<T> a, double eps) {
    const std::int64_t m = a.rows(), n = a.columns();
    for (const std::int64_t columns : {std::min(m, n), m}) {
      Dense<T> q(m, columns), r(columns, n), q2 = q, r2 = r;
      LinalgArgs args = args_of(LinalgOp::kQr, a);
      args.columns = columns;
      args.out = q.data(), args.second = r.data();
      EXPECT_EQ(call(args, false), 0);
      args.out = q2.data(), args.second = r2.data();
      EXPECT_EQ(call(args, true), 0);
      EXPECT_LT(q.times(r).distance(a), eps);
      EXPECT_LT(q.transposed().times(q).distance(Dense<T>::identity(columns)), eps);
      EXPECT_LT(r.distance(r2), 10 * eps);
    }
  }

  template <class T>
  void check_lu(Dense<T> a) {
    const std::int64_t m = a.rows(), n = a.columns(), k = std::min(m, n);
    Dense<T> lu(m, n), lu2 = lu;
    std::vector<std::int32_t> pivots(static_cast<std::size_t>(k)), pivots2 = pivots;
    LinalgArgs args = args_of(LinalgOp::kLu, a);
    args.out = lu.data(), args.pivots = pivots.data();
    EXPECT_EQ(call(args, false), 0);
    args.out = lu2.data(), args.pivots = pivots2.data();
    EXPECT_EQ(call(args, true), 0);
    EXPECT_EQ(pivots, pivots2);
    EXPECT_LT(lu.distance(lu2), sizeof(T) == 4 ? 2e-3 : 1e-10);
  }

  template <class T>
  void check_eigh(const Dense<T>& from, double eps) {
    const std::int64_t n = from.rows();
    Dense<T> a = from.times(from.transposed()), v(n, n), values(n, 1), values2 = values;
    LinalgArgs args = args_of(LinalgOp::kEigh, a);
    args.out = values.data(), args.second = v.data();
    EXPECT_EQ(call(args, false), 0);
    args.out = values2.data(), args.second = nullptr;
    EXPECT_EQ(call(args, true), 0);
    EXPECT_LT(values.distance(values2), eps * static_cast<double>(n));
    Dense<T> scaled = v;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) scaled.set(i, j, v(i, j) * values(j, 0));
    }
    EXPECT_LT(scaled.times(v.transposed()).distance(a), eps * static_cast<double>(n));
  }

  template <class T>
  void check_svd(Dense<T> a, double eps) {
    const std::int64_t m = a.rows(), n = a.columns(), k = std::min(m, n);
    for (const int full : {0, 1}) {
      for (const bool by_oracle : {false, true}) {
        Dense<T> u(m, full ? m : k), s(k, 1), vt(full ? n : k, n), s2 = s;
        LinalgArgs args = args_of(LinalgOp::kSvd, a);
        args.full = full;
        args.out = s.data(), args.second = u.data(), args.third = vt.data();
        EXPECT_EQ(call(args, by_oracle), 0);
        EXPECT_LT(u.transposed().times(u).distance(Dense<T>::identity(u.columns())), eps);
        EXPECT_LT(vt.times(vt.transposed()).distance(Dense<T>::identity(vt.rows())), eps);
        Dense<T> middle(u.columns(), vt.rows());
        for (std::int64_t i = 0; i < k; ++i) middle.set(i, i, s(i, 0));
        EXPECT_LT(u.times(middle).times(vt).distance(a), eps);
        args.out = s2.data(), args.second = args.third = nullptr;
        EXPECT_EQ(call(args, !by_oracle), 0);
        EXPECT_LT(s.distance(s2), eps);
      }
    }
  }

  template <class T>
  void check(std::int64_t m, std::int64_t n) {
    SCOPED_TRACE(::testing::Message() << dtype_of<T>() << ", " << m << " by " << n);
    const double eps =
        static_cast<double>(std::numeric_limits<T>::epsilon()) * static_cast<double>(20 * (m + n));
    const Dense<T> a = Dense<T>::random(m, n, static_cast<std::uint64_t>(100 * m + n));
    check_qr(a, eps);
    check_lu(a);
    check_svd(a, eps);
    if (m == n) check_eigh(a, eps);
  }
};

TEST_P(LinalgFactors, MultiplyToTheMatrix) {
  for (const auto& [m, n] : {std::pair(1, 1), std::pair(2, 2), std::pair(5, 3), std::pair(3, 5),
                             std::pair(17, 17), std::pair(40, 33), std::pair(20, 41)}) {
    check<float>(m, n);
    check<double>(m, n);
  }
}

TEST_P(LinalgFactors, NaNHasNoSingularValues) {
  Dense<double> a(2, 2), s(2, 1);
  a.set(0, 1, NAN);
  LinalgArgs args = args_of(LinalgOp::kSvd, a);
  args.out = s.data();
  for (const bool by_oracle : {false, true}) EXPECT_EQ(call(args, by_oracle), 2);
}

TEST_P(LinalgFactors, SolvesTriangles) {
  for (const int upper : {0, 1}) {
    for (const int unit : {0, 1}) {
      Dense<double> a = Dense<double>::random(20, 20, 3), b = Dense<double>::random(20, 3, 4);
      for (std::int64_t i = 0; i < 20; ++i) a.set(i, i, 3);
      Dense<double> x(20, 3), x2 = x;
      LinalgArgs args = args_of(LinalgOp::kTriangular, a);
      args.upper = upper, args.unit = unit, args.columns = 3, args.b = b.data();
      args.out = x.data();
      EXPECT_EQ(call(args, false), 0);
      args.out = x2.data();
      EXPECT_EQ(call(args, true), 0);
      double largest = 1;
      for (std::int64_t i = 0; i < 20; ++i) largest = std::max(largest, std::abs(x(i, 0)));
      EXPECT_LT(x.distance(x2), 1e-12 * largest * largest);
    }
  }
}

TERN_KERNEL_TESTS(LinalgFactors);

}  // namespace
}  // namespace tern
