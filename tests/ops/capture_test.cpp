#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tern/backends/cuda/host/graph.h>
#include <tern/core/autograd/grad_mode.h>

#include "ops/op_case.h"

// Every record in a CUDA graph: a replay computes what the op and its gradient compute then. An op
// that a capture refuses is in not_captured.txt, with the reason.

namespace tern::testing {
namespace {

using Tensors = std::vector<Tensor>;

class OpCaptureTest : public OpCaseTest {};

/// Returns the result and the gradients of the arguments that have one.
Tensors run(const OpCase& op, const Tensors& arguments) {
  const Tensor result = op.function(arguments);
  Tensors all = {result.detach()}, wanted;
  for (const Tensor& argument : arguments) {
    if (argument.requires_grad()) wanted.push_back(argument);
  }
  if (wanted.empty() || !result.requires_grad()) return all;
  const Tensors gradients = autograd::grad({result}, wanted, {ones_like(result)}, std::nullopt,
                                           /*create_graph=*/false, /*allow_unused=*/true);
  all.insert(all.end(), gradients.begin(), gradients.end());
  return all;
}

const std::map<std::string, std::string>& refused() {
  static const std::map<std::string, std::string> cases = exceptions_in("ops/not_captured.txt");
  return cases;
}

/// Captures the op for numbers of its first sample, and compares a replay for other numbers.
void expect_captured(const OpCase& op) {
  const Sample& sample = op.samples.front();
  const auto numbers = [&](std::uint64_t seed) {
    return require_grad(
        to_device(make_inputs(sample, op.dtypes.front(), Layout::kContiguous, seed), "cuda:0"),
        sample);
  };
  const Tensors arguments = numbers(7), others = numbers(8);
  run(op, arguments);
  Tensors results;
  cuda::CUDAGraph graph;
  graph.capture([&] { results = run(op, arguments); });
  {
    const NoGradGuard no_grad;
    for (std::size_t i = 0; i < arguments.size(); ++i) arguments[i].copy_(others[i]);
  }
  graph.replay();
  const Tensors expected = run(op, others);
  ASSERT_EQ(results.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(results[i].defined(), expected[i].defined()) << i;
    if (!expected[i].defined()) continue;
    EXPECT_EQ(difference(results[i].cpu(), expected[i].cpu(), op.tolerance), "") << i;
  }
}

TEST_P(OpCaptureTest, AReplayComputesTheOp) {
  if (refused().contains(GetParam().name)) {
    EXPECT_THROW(expect_captured(GetParam()), Error);
  } else {
    expect_captured(GetParam());
  }
}

TEST(OpCapture, TheListNamesCases) {
  for (const auto& [name, reason] : refused()) {
    EXPECT_EQ(cases_where([&](const OpCase& op) { return op.name == name; }).size(), 1U) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, OpCaptureTest, ::testing::ValuesIn(all_cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace tern::testing
