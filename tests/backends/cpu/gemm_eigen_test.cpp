#include <Eigen/Core>

#include "backends/kernels/gemm_product.h"

// The matrix product of the CPU beside Eigen's.

namespace tern {
namespace {

using namespace testing::gemm;

class GemmAndEigen : public testing::KernelTest {
 protected:
  template <class T>
  using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  template <class T>
  using Strided = Eigen::Map<const RowMajor<T>, 0, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>;

  template <class T>
  void check(const Case& given) {
    Product<T> product(given, /*integers=*/false);
    run(product.args());
    const Strided<T> a(product.a.data.data(), given.m, given.k, {product.a.row, product.a.column});
    const Strided<T> b(product.b.data.data(), given.k, given.n, {product.b.row, product.b.column});
    const Strided<T> c(product.c.data(), given.m, given.n, {product.c_row, 1});
    const RowMajor<T> want = a * b;
    // Both round each sum of k products in an order of their own.
    const RowMajor<T> size = a.cwiseAbs() * b.cwiseAbs();
    const T eps = std::numeric_limits<T>::epsilon() * static_cast<T>(given.k + 1);
    for (std::int64_t i = 0; i < given.m; ++i) {
      for (std::int64_t j = 0; j < given.n; ++j) {
        ASSERT_LE(std::abs(c(i, j) - want(i, j)), eps * size(i, j))
            << given << ", at " << i << ' ' << j;
      }
    }
  }
};

TEST_P(GemmAndEigen, Agree) {
  for (const auto& [m, n, k] : {std::array{1, 1, 1},
                                {1, 40, 70},
                                {40, 1, 70},
                                {3, 5, 7},
                                {16, 16, 16},
                                {17, 33, 65},
                                {64, 10, 128},
                                {10, 64, 300},
                                {100, 100, 2},
                                {31, 128, 257},
                                {130, 48, 513},
                                {200, 150, 90}}) {
    for (const MatrixLayout layout_a : kDense) {
      for (const MatrixLayout layout_b : kDense) {
        check<float>({m, n, k, layout_a, layout_b});
        check<double>({m, n, k, layout_a, layout_b});
      }
    }
  }
}

TERN_CPU_KERNEL_TESTS(GemmAndEigen);

}  // namespace
}  // namespace tern
