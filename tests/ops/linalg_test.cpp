#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <tern/tern.h>

#include "error_of.h"
#include "ops/op_case.h"

// What the records of linear algebra leave open.

namespace tern::testing {
namespace {

Tensor square(std::vector<double> elements) {
  const auto n = static_cast<std::int64_t>(std::sqrt(static_cast<double>(elements.size())));
  return tensor(elements, kDouble).reshape({n, n});
}

TEST(Linalg, HasTheNamesOfLibtorch) {
  const Tensor a = square({4, 1, 1, 3}), b = tensor({1., 2.}, kDouble);
  EXPECT_TRUE(linalg::inv(a).equal(linalg_inv(a)));
  EXPECT_TRUE(linalg::solve(a, b).equal(linalg_solve(a, b)));
  EXPECT_TRUE(linalg::cholesky(a).equal(linalg_cholesky(a)));
  EXPECT_TRUE(linalg::det(a).equal(linalg_det(a)));
  EXPECT_TRUE(inverse(a).equal(a.inverse()));
  EXPECT_TRUE(det(a).equal(a.det()));
}

TEST(Linalg, ErrorsHaveKinds) {
  const Tensor a = ones({2, 2});
  EXPECT_EQ(error_of<ShapeError>([] {
              linalg_inv(ones({3, 2}));
            }),
            "linalg_inv: A must be batches of square matrices, but they are 3 by 2 matrices");
  EXPECT_EQ(error_of<ShapeError>([] {
              ones({3, 2}).inverse();
            }),
            "inverse: A must be batches of square matrices, but they are 3 by 2 matrices");
  EXPECT_EQ(error_of<DTypeError>([&] { linalg_solve(a, ones({2}, kDouble)); }),
            "linalg_solve: Expected A and B to have the same dtype, but found A of type Float and "
            "B of type Double instead");
  EXPECT_EQ(error_of<NotImplementedError>([] {
              linalg_det(ones({2, 2}, kLong));
            }),
            "linalg_det: Expected a floating point or complex tensor as input. Got Long");
}

TEST(Linalg, CholeskyReadsOneTriangle) {
  const Tensor lower = square({4, 99, 2, 5}), upper = square({4, 2, 99, 5});
  EXPECT_TRUE(linalg_cholesky(lower).equal(square({2, 0, 1, 2})));
  EXPECT_TRUE(linalg_cholesky(upper, true).equal(square({2, 1, 0, 2})));
}

TEST(Linalg, CholeskyRefusesWhatIsNotPositiveDefinite) {
  const auto text = [](const std::string& place, int order) {
    return "linalg_cholesky: " + place +
           "The factorization could not be completed because the input is not positive-definite "
           "(the leading minor of order " +
           std::to_string(order) + " is not positive-definite).";
  };
  const Tensor bad = square({1, 2, 2, 1}), good = eye(2, kDouble);
  EXPECT_EQ(error_of([&] { linalg_cholesky(bad); }), text("", 2));
  EXPECT_EQ(error_of([&] { linalg_cholesky(bad, true); }), text("", 2));
  EXPECT_EQ(error_of([&] { linalg_cholesky(-good); }), text("", 1));
  EXPECT_EQ(error_of([&] { linalg_cholesky(good * NAN); }), text("", 1));
  EXPECT_EQ(error_of([&] { linalg_cholesky(stack({good, bad})); }), text("(Batch element 1): ", 2));
}

TEST(Linalg, NaNIsNoSingularMatrix) {
  for (const double number : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    const Tensor a = full({3, 3}, number);
    EXPECT_TRUE(linalg_inv(a).isnan().all().item<bool>());
    EXPECT_TRUE(linalg_det(a).isnan().item<bool>());
  }
}

// Numbers of PyTorch.
TEST(Linalg, GradientsOfDeterminantsOfEveryRank) {
  const auto gradients = [](const Tensor& matrix) {
    const Tensor leaf = matrix.clone().requires_grad_();
    const Tensor first = autograd::grad({linalg_det(leaf).sum()}, {leaf}, {}, true, true)[0];
    return std::vector<Tensor>{first, autograd::grad({first.sum()}, {leaf})[0]};
  };
  const auto expect_near = [](const Tensor& got, const Tensor& want) {
    EXPECT_EQ(difference(got, want, 1e-12), "");
  };
  const auto regular = gradients(square({1, 2, 3, 4}));
  expect_near(regular[0], square({4, -3, -2, 1}));
  expect_near(regular[1], square({1, -1, -1, 1}));
  const auto singular = gradients(square({1, 2, 2, 4}));
  expect_near(singular[0], square({4, -2, -2, 1}));
  expect_near(singular[1], square({1, -1, -1, 1}));
  const auto larger = gradients(square({1, 2, 3, 4, 5, 6, 5, 7, 9}));
  expect_near(larger[0], square({3, -6, 3, 3, -6, 3, -3, 6, -3}));
  expect_near(larger[1], square({1, -2, 1, -1, 2, -1, 0, 0, 0}));
  // A skew matrix, whose border would be singular, beside a singular one.
  const auto mixed = gradients(stack({square({0, 1, -1, 0}), square({0, 2, 0, 4})}));
  expect_near(mixed[0], stack({square({0, 1, -1, 0}), square({4, 0, -2, 0})}));
  expect_near(mixed[1], stack({square({1, -1, -1, 1}), square({1, -1, -1, 1})}));
  const auto lower_rank = gradients(ones({3, 3}, kDouble));
  expect_near(lower_rank[0], zeros({3, 3}, kDouble));
  EXPECT_TRUE(lower_rank[1].isnan().all().item<bool>());
}

TEST(Linalg, DevicesReportTheErrorsOfTheCpu) {
  const Tensor singular = stack({eye(2, kDouble), square({1, 2, 2, 4})});
  const Tensor nan = stack({eye(2, kDouble), square({1, NAN, NAN, 4})});
  const auto text = [](const auto& op, const Tensor& a) { return error_of([&] { op(a); }); };
  const auto expect_same = [&](const auto& op, const Tensor& a) {
    const std::string want = text(op, a);
    EXPECT_NE(want.find("(Batch element 1)"), std::string::npos) << want;
    EXPECT_EQ(text(op, a.to("cuda:1")), want);
  };
  expect_same([](const Tensor& a) { linalg_inv(a); }, singular);
  expect_same([](const Tensor& a) { linalg_solve(a, a); }, singular);
  expect_same([](const Tensor& a) { linalg_cholesky(a); }, singular);
  expect_same([](const Tensor& a) { linalg_cholesky(a); }, nan);
  expect_same([](const Tensor& a) { linalg_lu_factor(a); }, singular);
  expect_same([](const Tensor& a) { linalg_svd(a); }, nan);
  EXPECT_EQ(text([](const Tensor& a) { linalg_inv(a); }, square({1, 2, 2, 4}).to("cuda:1")),
            "linalg_inv: The diagonal element 2 is zero, the inversion could not be completed "
            "because the input matrix is singular.");
}

TEST(Linalg, ACaptureRefusesToRead) {
  const Tensor a = eye(2, kCUDA);
  cuda::CUDAGraph graph;
  graph.capture([&] {
    EXPECT_NE(error_of<DeviceError>([&] { linalg_inv(a); }).find("when stream is capturing"),
              std::string::npos);
    linalg_det(a);  // waits for nothing
  });
}

}  // namespace
}  // namespace tern::testing
