#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tern/tern.h>

#include "sanitizer.h"

// The factors of larger matrices than those of the records: their product is the matrix, and those
// that should be orthogonal are, up to rounding.

namespace tern::testing {
namespace {

double epsilon(ScalarType dtype) {
  return dtype == kFloat ? static_cast<double>(std::numeric_limits<float>::epsilon())
                         : std::numeric_limits<double>::epsilon();
}

double norm_of(const Tensor& a) { return linalg_vector_norm(a.to(kDouble)).item<double>(); }

/// Returns the distance of the columns from orthonormal ones, in rounding errors per column.
double skew(const Tensor& a) {
  const Tensor exact = a.to(kDouble);
  const Tensor product = exact.transpose(0, 1).matmul(exact);
  const double columns = std::max(1., static_cast<double>(a.size(1)));
  return norm_of(product - eye(a.size(1), kDouble)) / std::sqrt(columns) / epsilon(a.dtype());
}

/// Returns the distance of the two, in rounding errors of `a`.
double error(const Tensor& product, const Tensor& a) {
  const double size = std::max(norm_of(a), std::numeric_limits<double>::min());
  return norm_of(product - a.to(kDouble)) / size / epsilon(a.dtype());
}

struct Matrix {
  std::string name;
  Tensor value;
};

/// Matrices of full and of small rank, and with singular values far apart.
std::vector<Matrix> matrices(std::int64_t m, std::int64_t n, ScalarType dtype) {
  manual_seed(7);
  const Tensor a = randn({m, n}, dtype);
  const Tensor scales = pow(10., -(arange(n, dtype).remainder(8)));
  return {{"random", a},
          {"ones", ones({m, n}, dtype)},
          {"zeros", zeros({m, n}, dtype)},
          {"identity", eye(m, n, dtype)},
          {"rank 1", randn({m, 1}, dtype).matmul(randn({1, n}, dtype))},
          {"rank 3", randn({m, 3}, dtype).matmul(randn({3, n}, dtype))},
          {"equal columns", cat({a, a}, 1)},
          {"small columns", a * scales},
          {"small", a * 1e-30},
          {"large", a * 1e30}};
}

// A sanitizer, which looks for reads outside of the memory, sees each shape and path with the
// matrices of this name: full rank, and factors that are not.
bool is_brief_for(const std::string& name) {
  return testing::has_sanitizer() && name != "random" && name != "rank 3" && name != "zeros";
}

const std::vector<std::vector<std::int64_t>> kShapes = {
    {1, 1},   {2, 2},   {5, 1},   {1, 5},    {7, 3},     {15, 15}, {17, 16},
    {16, 40}, {48, 48}, {81, 81}, {106, 91}, {130, 257}, {300, 20}};

TEST(Factorization, SingularVectorsAreOrthogonal) {
  for (const auto& shape : kShapes) {
    for (const ScalarType dtype : {kFloat, kDouble}) {
      for (const auto& [name, a] : matrices(shape[0], shape[1], dtype)) {
        if (is_brief_for(name)) continue;
        for (const bool full : {false, true}) {
          const auto [u, s, vt] = linalg_svd(a, full);
          const std::string what = name + " " + std::to_string(a.size(0)) + " by " +
                                   std::to_string(a.size(1)) + (full ? ", full" : "");
          const std::int64_t k = s.numel();
          const Tensor scaled = u.to(kDouble).slice(1, 0, k) * s.to(kDouble);
          EXPECT_LT(error(scaled.matmul(vt.to(kDouble).slice(0, 0, k)), a), 100) << what;
          EXPECT_LT(skew(u), 100) << what;
          EXPECT_LT(skew(vt.transpose(0, 1)), 100) << what;
          EXPECT_TRUE((s >= 0).all().item<bool>()) << what;
          EXPECT_TRUE((s.slice(0, 1, k) <= s.slice(0, 0, k - 1)).all().item<bool>()) << what;
          EXPECT_TRUE(linalg_svdvals(a).equal(s)) << what;
        }
      }
    }
  }
}

TEST(Factorization, ReflectionsAreThoseOfQr) {
  for (const auto& shape : kShapes) {
    for (const ScalarType dtype : {kFloat, kDouble}) {
      for (const auto& [name, a] : matrices(shape[0], shape[1], dtype)) {
        if (is_brief_for(name)) continue;
        const std::string what =
            name + " " + std::to_string(a.size(0)) + " by " + std::to_string(a.size(1));
        const auto [stored, tau] = geqrf(a);
        const std::int64_t k = tau.size(0);
        const Tensor q = linalg_householder_product(stored.narrow(1, 0, k), tau);
        const Tensor r = stored.narrow(0, 0, k).triu();
        EXPECT_LT(skew(q), 300) << what;
        EXPECT_LT(error(q.to(kDouble).matmul(r.to(kDouble)), a), 300) << what;
        const Tensor wide = cat({r, zeros({a.size(0) - k, a.size(1)}, dtype)});
        EXPECT_LT(error(ormqr(stored, tau, wide), a), 300) << what;
        const Tensor right = ormqr(stored, tau, wide.t(), false, true);
        EXPECT_LT(error(right, a.t()), 300) << what;
      }
    }
  }
}

TEST(Factorization, SingularValuesOfAKnownMatrix) {
  // The eigenvalues of the second differences are known.
  const std::int64_t n = 100;
  const Tensor off = diag(-ones({n - 1}, kDouble), 1);
  const Tensor values = linalg_svdvals(eye(n, kDouble) * 2 + off + off.transpose(0, 1));
  for (std::int64_t i = 0; i < n; ++i) {
    const double angle = M_PI * static_cast<double>(n - i) / static_cast<double>(n + 1);
    EXPECT_NEAR(values[i].item<double>(), 2 - 2 * std::cos(angle), 1e-13) << i;
  }
}

TEST(Factorization, QrAndEigenvectorsAreOrthogonal) {
  for (const auto& shape : kShapes) {
    for (const ScalarType dtype : {kFloat, kDouble}) {
      for (const auto& [name, a] : matrices(shape[0], shape[1], dtype)) {
        if (is_brief_for(name)) continue;
        if (name == "small") continue;  // its squares are 0 in float32
        for (const char* mode : {"reduced", "complete"}) {
          if (name == "large" && dtype == kFloat) continue;  // its squares are infinite
          const auto [q, r] = linalg_qr(a, mode);
          const std::string what = name + " " + std::to_string(a.size(0)) + " by " +
                                   std::to_string(a.size(1)) + ", " + mode;
          EXPECT_LT(error(q.to(kDouble).matmul(r.to(kDouble)), a), 100) << what;
          EXPECT_LT(skew(q), 100) << what;
          EXPECT_TRUE(r.equal(r.triu())) << what;
        }
        const Tensor symmetric = a.matmul(a.transpose(0, 1));
        if (name == "large") continue;
        const auto [values, vectors] = linalg_eigh(symmetric);
        const Tensor exact = vectors.to(kDouble);
        EXPECT_LT(error((exact * values.to(kDouble)).matmul(exact.transpose(0, 1)), symmetric), 300)
            << name << " of " << a.size(0);
        EXPECT_LT(skew(vectors), 100) << name << " of " << a.size(0);
      }
    }
  }
}

}  // namespace
}  // namespace tern::testing
