#include "ops/op_case.h"

namespace tern::testing {
namespace {

/// Symmetric positive definite matrices made of square ones; wrong arguments stay as they are.
Tensor positive_definite(const Tensor& x) {
  if (!x.defined() || x.dim() < 2 || x.size(-1) != x.size(-2)) return x;
  if (x.dtype() != kFloat && x.dtype() != kDouble) return x;
  return x.matmul(x.mT()) + eye(x.size(-1), x.options()) * x.size(-1);
}

}  // namespace

std::vector<OpCase> linalg_cases() {
  using In = const std::vector<Tensor>&;
  const auto pair = [](std::vector<std::int64_t> a, std::vector<std::int64_t> b) {
    return Sample{Input{std::move(a)}, Input{std::move(b)}};
  };
  // The elements of a float32 matrix; `more` is the other argument.
  const auto given = [](std::vector<std::int64_t> sizes, std::vector<std::int64_t> values,
                        const Sample& more = {}) {
    Sample sample{Input{std::move(sizes), 0, 0, kFloat, std::move(values)}};
    sample.insert(sample.end(), more.begin(), more.end());
    return sample;
  };
  const std::vector<Sample> square = {{Input{{3, 3}}},    {Input{{1, 1}}},      {Input{{2, 3, 3}}},
                                      {Input{{5, 5}}},    {Input{{0, 0}}},      {Input{{0, 3, 3}}},
                                      {Input{{2, 0, 0}}}, {Input{{2, 1, 4, 4}}}};
  const std::vector<Rejection> not_square = {
      {{Input{{3, 2}}}, "A must be batches of square matrices, but they are 3 by 2 matrices"},
      {{Input{{3}}}, "The input tensor A must have at least 2 dimensions."},
      {{Input{{2, 2}, 0, 9, kLong}},
       "Expected a floating point or complex tensor as input. Got Long"},
      {{Input{{2, 2}, 0, 9, kHalf, {1, 0, 0, 1}}}, "Low precision dtypes not supported. Got Half"}};
  std::vector<OpCase> cases;
  const auto add = [&](const char* name, const char* node, OpFunction function,
                       const std::vector<Sample>& samples,
                       const std::vector<Rejection>& rejections) {
    cases.push_back({.name = name,
                     .node = node,
                     .function = std::move(function),
                     .samples = samples,
                     .rejections = rejections,
                     .kernel = kernels::Slot::linalg});
  };
  const auto add_of_square = [&](const char* name, const char* node, OpFunction function,
                                 std::vector<Rejection> rejections = {}) {
    rejections.insert(rejections.end(), not_square.begin(), not_square.end());
    add(name, node, std::move(function), square, rejections);
  };
  add_of_square(
      "linalg_inv", "LinalgInvExBackward0", [](In in) { return linalg_inv(in[0]); },
      {{given({2, 2}, {1, 2, 2, 4}),
        "linalg_inv: The diagonal element 2 is zero, the inversion could not be completed because "
        "the input matrix is singular."},
       {given({1, 2, 2, 2}, {1, 0, 0, 1, 0, 2, 0, 4}),
        "linalg_inv: (Batch element 1): The diagonal element 1 is zero"}});
  add_of_square("inverse", "LinalgInvExBackward0", [](In in) { return in[0].inverse(); });
  add("linalg_solve", "LinalgSolveExBackward0", [](In in) { return linalg_solve(in[0], in[1]); },
      {pair({3, 3}, {3, 2}), pair({3, 3}, {3}), pair({2, 3, 3}, {2, 3}), pair({2, 3, 3}, {3}),
       pair({2, 3, 3}, {3, 1}), pair({3, 3}, {2, 3, 2}), pair({2, 1, 2, 2}, {3, 2, 1}),
       pair({0, 0}, {0, 2}), pair({0, 0}, {0}), pair({3, 3}, {3, 0}), pair({0, 3, 3}, {0, 3, 2}),
       pair({0, 3, 3}, {3})},
      {{pair({3, 2}, {3}), "A must be batches of square matrices, but they are 3 by 2 matrices"},
       {pair({3}, {3}), "The input tensor A must have at least 2 dimensions."},
       {pair({3, 3}, {}), "The input tensor B must have at least 2 dimensions."},
       {pair({3, 3}, {2}),
        "linalg_solve: Incompatible shapes of A and B for the equation AX = B (3x3 and 2x1)"},
       {pair({1, 3, 3}, {2, 3}), "for the equation AX = B (3x3 and 2x3)"},
       {pair({2, 3, 3}, {4, 3, 1}), "The size of tensor a (4) must match the size of tensor b (2)"},
       {{Input{{3, 3}}, Input{{3}, 0, 9, kLong}},
        "Expected A and B to have the same dtype, but found A of type Float and B of type Long "
        "instead"},
       {given({2, 2}, {1, 2, 2, 4}, {Input{{2}}}),
        "linalg_solve: The solver failed because the input matrix is singular."},
       {given({2, 2}, {1, 2, 2, 4}, {Input{{2, 0}}}), "the input matrix is singular"},
       {given({2, 2, 2}, {1, 0, 0, 1, 1, 2, 2, 4}, {Input{{2}}}),
        "(Batch element 1): The solver failed"}});
  add("linalg_solve_right", "LinalgSolveExBackward0",
      [](In in) { return linalg_solve(in[0], in[1], /*left=*/false); },
      {pair({3, 3}, {2, 3}), pair({2, 3, 3}, {1, 3}), pair({3, 3}, {2, 2, 3}), pair({1, 1}, {1, 1}),
       pair({2, 2}, {0, 2}), pair({0, 0}, {2, 0})},
      {{pair({3, 3}, {2, 4}),
        "linalg_solve: Incompatible shapes of A and B for the equation XA = B (3x3 and 2x4)"},
       {pair({1, 1}, {1}),
        "Vector broadcasting of the left hand side is not supported for left=False."}});
  add_of_square("linalg_cholesky", "LinalgCholeskyExBackward0",
                [](In in) { return linalg_cholesky(positive_definite(in[0])); });
  add_of_square("linalg_cholesky_upper", "LinalgCholeskyExBackward0",
                [](In in) { return linalg_cholesky(positive_definite(in[0]), /*upper=*/true); });
  add_of_square("linalg_det", "LinalgDetBackward0", [](In in) { return linalg_det(in[0]); });
  // Of ranks n - 1 and, in a batch, n: the gradient takes another way.
  cases.back().samples.push_back({Input{{2, 2}, 0, 0, kDouble, {1, 2, 2, 4}}});
  cases.back().samples.push_back({Input{{3, 3}, 0, 0, kDouble, {1, 2, 3, 4, 5, 6, 5, 7, 9}}});
  cases.back().samples.push_back({Input{{2, 2, 2}, 0, 0, kDouble, {0, 2, 0, 4, 1, 2, 3, 4}}});
  add_of_square("det", "LinalgDetBackward0", [](In in) { return in[0].det(); });
  return cases;
}

}  // namespace tern::testing
