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

// What PyTorch answers: singular values below rcond times the largest count as 0, in the default
// driver by a factorization with pivoting.
TEST(Linalg, LeastSquaresObeyRcond) {
  struct Problem {
    std::vector<std::int64_t> sizes;
    std::vector<double> a, b;
    double rcond;
    std::vector<double> solution;
    std::int64_t rank;
  };
  const std::vector<double> small = {1, 0, 0, 0.01}, near = {1, 1, 1, 1.01};
  const std::vector<double> tall = {3, 1, 2, 1, 0.3, 0.7, 2, 1, 1, 0, 1, -1},
                            wide = {1, 2, 3, 4, 2, 1, 0, 1, 3, 3, 3, 5.001};
  const Problem problems[] = {
      {{2, 2}, small, {1, 1}, 0.1, {1, 0}, 1},
      {{2, 2}, small, {1, 1}, 2, {1, 0}, 1},
      {{2, 2}, small, {1, 1}, 0.009, {1, 100}, 2},
      {{2, 2}, small, {1, 1}, 0, {1, 100}, 2},
      {{2, 2}, small, {1, 1}, -1, {1, 100}, 2},
      {{2, 2}, near, {1, 2}, 0.1, {0.747478358631652, 0.7512343444138307}, 1},
      {{2, 2}, near, {1, 2}, 0.001, {-99, 100}, 2},
      {{4, 3},
       tall,
       {1, 2, 3, 4},
       0.1,
       {0.855196660074709, 2.474401230498791, -1.619204570424081},
       2},
      {{4, 3},
       tall,
       {1, 2, 3, 4},
       2,
       {0.5137100540396289, 0.1944759490292882, 0.3192341050103411},
       1},
      {{3, 4},
       wide,
       {1, 0, 2},
       0.01,
       {0.03442457251220155, 0.08618928880658396, 0.1379540051009664, 0.1781720310970809},
       2},
      {{3, 4},
       wide,
       {1, 0, 2},
       2,
       {0.08375426008756252, 0.09571744535931835, 0.1076806306310742, 0.1675244750765492},
       1},
      {{2, 2}, {0, 0, 0, 0}, {1, 1}, 0.1, {0, 0}, 0}};
  for (const Problem& problem : problems) {
    const Tensor a = tensor(problem.a, kDouble).reshape(problem.sizes);
    const Tensor b = tensor(problem.b, kDouble).unsqueeze(-1);
    for (const Device device : {Device("cpu"), Device("cuda")}) {
      const auto [x, residuals, rank, values] =
          linalg_lstsq(a.to(device), b.to(device), problem.rcond);
      EXPECT_EQ(difference(x, tensor(problem.solution, kDouble).unsqueeze(-1), 1e-9), "") << a;
      EXPECT_EQ(rank.item<std::int64_t>(), problem.rank) << a << ", rcond " << problem.rcond;
    }
  }
  const Tensor batch = stack({square(small), square(near)});
  const auto [x, residuals, rank, values] =
      linalg_lstsq(batch, tensor({{1., 1.}, {1., 2.}}, kDouble).unsqueeze(-1), 0.1);
  EXPECT_TRUE(rank.equal(tensor({1, 1})));
  EXPECT_EQ(difference(x.flatten(), tensor({1, 0, 0.747478358631652, 0.7512343444138307}, kDouble),
                       1e-12),
            "");
}

TEST(Linalg, LeastSquaresDriversReadRcondAsLapack) {
  const Tensor a = square({1, 0, 0, 0.01}), b = ones({2, 1}, kDouble);
  const auto check = [&](const char* driver, double rcond, std::vector<double> solution) {
    const Tensor x = std::get<0>(linalg_lstsq(a, b, rcond, driver));
    EXPECT_EQ(difference(x.flatten(), tensor(solution, kDouble), 1e-12), "")
        << driver << ", " << rcond;
  };
  for (const double rcond : {-1., 0., 0.1, 1., 2.}) {
    check("gels", rcond, {1, 100});
    check("gelsd", rcond, {1, rcond == 0.1 ? 0. : 100.});
    check("gelss", rcond, {rcond >= 1 ? 0. : 1., rcond > 0 ? 0. : 100.});
  }
  const Tensor singular = square({1, 2, 2, 4});
  EXPECT_EQ(error_of([&] { linalg_lstsq(singular, b, std::nullopt, "gels"); }),
            "linalg_lstsq: The least squares solution could not be computed because the input "
            "matrix does not have full rank (error code: 2).");
  EXPECT_EQ(error_of([&] {
              linalg_lstsq(stack({a, singular}), ones({2, 2, 1}, kDouble), std::nullopt, "gels");
            }),
            "linalg_lstsq: (Batch element 1): The least squares solution could not be computed "
            "because the input matrix does not have full rank (error code: 2).");
  const Tensor zero = zeros({2, 2}, kDouble);
  EXPECT_TRUE(std::get<0>(linalg_lstsq(zero, b, std::nullopt, "gels")).equal(zeros_like(b)));
}

TEST(Linalg, CholeskyReadsOneTriangle) {
  const Tensor lower = square({4, 99, 2, 5}), upper = square({4, 2, 99, 5});
  EXPECT_TRUE(linalg_cholesky(lower).equal(square({2, 0, 1, 2})));
  EXPECT_TRUE(linalg_cholesky(upper, true).equal(square({2, 1, 0, 2})));
}

// Of the other triangle neither an element nor a gradient counts.
TEST(Linalg, SolvesWithOneTriangle) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const bool upper : {false, true}) {
    Tensor a = tensor({{2., nan}, {1., 4.}}, kDouble);
    if (upper) a = a.t().contiguous();
    a.requires_grad_();
    for (const double first : {1., nan}) {
      const Tensor x = linalg_solve_triangular(a, ones({2, 1}, kDouble), upper);
      const Tensor g = autograd::grad({x}, {a}, {tensor({{first}, {1.}}, kDouble)})[0];
      EXPECT_EQ(g[upper ? 1 : 0][upper ? 0 : 1].item<double>(), 0) << upper << ' ' << first;
      EXPECT_EQ(g.isfinite().all().item<bool>(), first == 1) << upper << ' ' << first;
    }
    const Tensor y = cholesky_solve(ones({2, 1}, kDouble), a, upper);
    EXPECT_TRUE(autograd::grad({y.sum()}, {a})[0].isfinite().all().item<bool>()) << upper;
  }
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

TEST(Linalg, SaysWhichMatricesHaveNoResult) {
  const Tensor a = stack({square({2, 0, 0, 3}), square({1, 2, 2, 1}), square({0, 0, 0, 0})});
  const Tensor singular = tensor({0, 0, 1}, kInt);
  EXPECT_TRUE(std::get<1>(linalg_cholesky_ex(a)).equal(tensor({0, 2, 1}, kInt)));
  EXPECT_TRUE(std::get<1>(linalg_inv_ex(a)).equal(singular));
  EXPECT_TRUE(std::get<1>(linalg_solve_ex(a, ones({3, 2, 1}, kDouble))).equal(singular));
  EXPECT_TRUE(std::get<2>(linalg_lu_factor_ex(a)).equal(singular));
  EXPECT_TRUE(std::get<0>(linalg_inv_ex(a))[1].equal(linalg_inv(a[1])));
  EXPECT_TRUE(std::get<1>(linalg::inv_ex(zeros({2, 0, 0}))).equal(zeros({2}, kInt)));
  const auto throws = [](const auto& fn) { EXPECT_THROW(fn(), Error); };
  throws([&] { linalg_cholesky_ex(a, false, true); });
  throws([&] { linalg_inv_ex(a, true); });
  throws([&] { linalg_solve_ex(a, ones({3, 2, 1}, kDouble), true, true); });
  throws([&] { linalg_lu_factor_ex(a, true, true); });
}

// Like PyTorch: the solution divides by 0, and a factor stops with the columns before.
TEST(Linalg, ComputesOnWithoutAResult) {
  for (const Device device : {Device(kCPU), Device(kCUDA, 0)}) {
    const Tensor a = stack({square({1, 2, 2, 4}), square({1, 2, 2, 1})}).to(device);
    a.requires_grad_();
    const Tensor x = std::get<0>(linalg_solve_ex(a, ones({2, 2, 1}, a.options())));
    EXPECT_FALSE(isfinite(x[0]).any().item<bool>()) << x;
    EXPECT_TRUE(isfinite(x[1]).all().item<bool>()) << x;
    x.sum().backward();
    EXPECT_FALSE(isfinite(a.grad()[0]).any().item<bool>()) << a.grad();
    EXPECT_TRUE(isfinite(a.grad()[1]).all().item<bool>()) << a.grad();

    a.mutable_grad() = Tensor();
    std::get<1>(linalg_slogdet(a)).sum().backward();
    EXPECT_TRUE(a.grad()[0].isinf().all().item<bool>()) << a.grad();
    EXPECT_TRUE(isfinite(a.grad()[1]).all().item<bool>()) << a.grad();

    const Tensor zero = zeros({2, 2}, a.options()).requires_grad_();
    const Tensor factors = std::get<0>(linalg_cholesky_ex(stack({a[1].detach(), zero})));
    EXPECT_TRUE(factors.detach().cpu().select(2, 0).equal(
        tensor({1.0, 2.0, 0.0, 0.0}).to(kDouble).reshape({2, 2})));
    EXPECT_TRUE(factors.triu(1).eq(0).all().item<bool>()) << factors;
    factors.sum().backward();
    EXPECT_TRUE(zero.grad().isnan().all().item<bool>()) << zero.grad();
  }
}

TEST(Linalg, TakesADriverOnAGpuOnly) {
  EXPECT_EQ(error_of([] {
              linalg_svd(ones({2, 2}), true, "gesvd");
            }),
            "linalg_svd: torch.linalg.svd: keyword argument `driver=` is only supported on CUDA "
            "inputs with cuSOLVER backend, got device cpu");
  EXPECT_THROW(linalg_svdvals(ones({2, 2}), "gesvdj"), Error);
}

TEST(Linalg, NormTakesOneDimensionAsANumber) {
  const Tensor x = tensor({{3.0, 1.0}, {4.0, 1.0}});
  EXPECT_TRUE(linalg_norm(x, 2, 0).equal(linalg_vector_norm(x, 2, {0})));
  EXPECT_TRUE(linalg_norm(x, 2, {0}).equal(linalg_vector_norm(x, 2, {0})));
  EXPECT_TRUE(linalg_norm(x, "fro", {0, 1}).equal(x.norm()));
}

}  // namespace
}  // namespace tern::testing
