#include <gtest/gtest.h>

#include <iostream>

#include <tern/core/tensor/detail/allocator.h>

#include "brief.h"
#include "ops/op_case.h"

// Properties of every op, tested with its record.

namespace tern::testing {
namespace {

constexpr Layout kLayouts[] = {Layout::kContiguous, Layout::kTransposed, Layout::kGaps};

class OpTest : public OpCaseTest {};
class OpGradientTest : public OpTest {
 protected:
  // Prints how many gradients were compared with differences, of each order.
  static void TearDownTestSuite() {
    std::cout << first_order_ << " gradients of first order and " << second_order_
              << " of second order agree with differences.\n";
  }

  static inline int first_order_ = 0, second_order_ = 0;
};
class OpInPlaceTest : public OpTest {};
class OpErrorTest : public OpTest {};

const char* const kFirst = "cuda:0";
const char* const kSecond = "cuda:1";

// The simulator's naive kernels are the oracle for the CPU's kernels.
TEST_P(OpTest, AgreesWithTheOracle) {
  const OpCase& op = GetParam();
  for (const ScalarType dtype : op.dtypes) {
    for (const Sample& sample : op.samples) {
      for (const Layout layout : kLayouts) {
        SCOPED_TRACE(describe(sample, layout) + " " + dtype_info(dtype).name);
        const std::vector<Tensor> inputs = make_inputs(sample, dtype, layout);
        const Tensor result = op.function(inputs);
        const Tensor oracle = op.function(to_device(inputs, kSecond));
        EXPECT_EQ(oracle.device(), Device(kSecond));
        EXPECT_EQ(result.dtype(), oracle.dtype());
        const double tolerance = dtype == kDouble ? 1e-9 : op.tolerance;
        EXPECT_EQ(difference(result, oracle, tolerance), "");
      }
    }
  }
}

TEST_P(OpGradientTest, GradientAgreesWithDifferences) {
  const OpCase& op = GetParam();
  const auto function = [&](const std::vector<Tensor>& inputs) {
    return std::vector<Tensor>{op.function(inputs)};
  };
  // Each element is varied in one layout. Fast mode varies all at once, in a random direction: it
  // runs the same code, and any wrong element changes what it compares. It is enough for the other
  // layouts. A sanitizer, and the runs of this program with other kernels, see each sample in one
  // layout, the ones with strides first.
  const bool is_brief = is_brief_run();
  std::size_t turn = 0;
  for (const Sample& sample : op.samples) {
    const Layout only = kLayouts[2 - turn++ % 3];
    for (const Layout layout : kLayouts) {
      if (is_brief && layout != only) continue;
      SCOPED_TRACE(describe(sample, layout));
      autograd::GradcheckOptions options;
      options.fast_mode = is_brief || layout != Layout::kContiguous;
      const auto inputs = [&] {
        return require_grad(make_inputs(sample, kDouble, layout), sample);
      };
      EXPECT_NO_THROW(first_order_ += autograd::gradcheck(function, inputs(), options) ? 1 : 0);
      if (!op.second_order) {
        EXPECT_THROW(autograd::gradgradcheck(function, inputs(), options), NotImplementedError);
        continue;
      }
      EXPECT_NO_THROW(second_order_ +=
                      autograd::gradgradcheck(function, inputs(), options) ? 1 : 0);
    }
  }
}

// Gradients on the simulated device are right and stay on that device.
TEST_P(OpGradientTest, GradientAgreesWithTheOracle) {
  const OpCase& op = GetParam();
  for (const Sample& sample : op.samples) {
    SCOPED_TRACE(describe(sample, Layout::kContiguous));
    const std::vector<Tensor> inputs = make_inputs(sample, kDouble, Layout::kContiguous);
    const auto gradients = [&](const std::vector<Tensor>& leaves) {
      op.function(leaves).sum().backward();
      std::vector<Tensor> grads;
      for (const Tensor& leaf : leaves) grads.push_back(leaf.grad());
      return grads;
    };
    const auto here = gradients(require_grad(inputs, sample));
    const auto there = gradients(require_grad(to_device(inputs, kFirst), sample));
    for (std::size_t i = 0; i < here.size(); ++i) {
      ASSERT_EQ(here[i].defined(), there[i].defined());
      if (!here[i].defined()) continue;
      EXPECT_EQ(there[i].device(), Device(kFirst));
      EXPECT_EQ(difference(here[i], there[i], 1e-9), "");
    }
  }
}

// A frozen input does not change the gradients of the others: no rule may depend on another one.
// That has nothing to do with kernels.
TEST_P(OpGradientTest, OfEachInputAlone) {
  const OpCase& op = GetParam();
  for (const Sample& sample : op.samples) {
    if (is_brief_run() && &sample != &op.samples.front()) break;
    for (const Device& device : {Device("cpu"), Device(kFirst)}) {
      SCOPED_TRACE(describe(sample, Layout::kContiguous));
      const auto inputs = to_device(make_inputs(sample, kDouble, Layout::kContiguous), device);
      // Returns the gradients if only the inputs in [from, to) require one.
      const auto gradients = [&](std::size_t from, std::size_t to) {
        std::vector<Tensor> leaves = require_grad(inputs, sample), grads;
        for (std::size_t i = 0; i < leaves.size(); ++i) {
          if (i < from || i >= to) leaves[i].requires_grad_(false);
        }
        op.function(leaves).sum().backward();
        for (const Tensor& leaf : leaves) grads.push_back(leaf.grad());
        return grads;
      };
      const auto together = gradients(0, inputs.size());
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!together[i].defined()) continue;
        const auto alone = gradients(i, i + 1);
        ASSERT_TRUE(alone[i].defined()) << i;
        EXPECT_EQ(difference(alone[i], together[i], 1e-12), "") << i;
      }
    }
  }
}

TEST_P(OpTest, IsNamedOnTheTape) {
  const OpCase& op = GetParam();
  const Sample& sample = op.samples.front();
  const Tensor result =
      op.function(require_grad(make_inputs(sample, kDouble, Layout::kContiguous), sample));
  if (op.node.empty()) {
    EXPECT_FALSE(result.requires_grad());
  } else {
    ASSERT_TRUE(result.grad_fn());
    if (!op.other_node) {
      EXPECT_EQ(result.grad_fn()->name(), op.node);
    }
  }
}

TEST_P(OpTest, RecordsNothingWithoutGradMode) {
  const OpCase& op = GetParam();
  const Sample& sample = op.samples.front();
  const auto inputs = require_grad(make_inputs(sample, kDouble, Layout::kContiguous), sample);
  const NoGradGuard no_grad;
  EXPECT_TRUE(op.function(inputs).is_leaf());
}

TEST_P(OpTest, MetaKnowsTheShape) {
  const OpCase& op = GetParam();
  for (const Sample& sample : op.samples) {
    SCOPED_TRACE(describe(sample, Layout::kContiguous));
    const auto inputs = make_inputs(sample, kFloat, Layout::kContiguous);
    const Tensor result = op.function(inputs);
    const auto on_meta = to_device(inputs, "meta");
    if (!op.meta) {
      EXPECT_THROW(op.function(on_meta), Error);
      continue;
    }
    const Tensor shape = op.function(on_meta);
    EXPECT_TRUE(shape.is_meta());
    EXPECT_EQ(shape.sizes(), result.sizes());
    EXPECT_EQ(shape.dtype(), result.dtype());
  }
}

TEST_P(OpInPlaceTest, InPlaceTwinDoesTheSame) {
  const OpCase& op = GetParam();
  for (const Sample& sample : op.samples) {
    for (const Layout layout : kLayouts) {
      SCOPED_TRACE(describe(sample, layout));
      std::vector<Tensor> inputs = make_inputs(sample, kDouble, layout);
      const Tensor expected = op.function(inputs);
      if (expected.sizes() != inputs[0].sizes()) continue;  // self would have to grow
      const std::int64_t version = inputs[0]._version();
      EXPECT_TRUE(op.in_place(inputs).is_same(inputs[0]));
      EXPECT_EQ(difference(inputs[0], expected, 1e-12), "");
      EXPECT_GT(inputs[0]._version(), version);
      if (op.node.empty()) continue;
      // On the result of an op, in place and through a view of its base.
      const auto leaves = require_grad(make_inputs(sample, kDouble, layout), sample);
      const auto through = [&](bool view) {
        std::vector<Tensor> arguments = leaves;
        Tensor base = leaves[0] * 1;
        arguments[0] = view ? base.view_as(base) : base;
        op.in_place(arguments);
        EXPECT_EQ(base.grad_fn()->name(), view ? "CopySlices" : op.in_place_node);
        if (view) {
          EXPECT_EQ(arguments[0].grad_fn()->name(), "AsStridedBackward0");
        }
        (base * 3).sum().backward();
        std::vector<Tensor> grads;
        for (const Tensor& leaf : leaves) {
          grads.push_back(leaf.grad());
          leaf.mutable_grad().reset();
        }
        return grads;
      };
      (op.function(leaves) * 3).sum().backward();
      std::vector<Tensor> wanted;
      for (const Tensor& leaf : leaves) {
        wanted.push_back(leaf.grad());
        leaf.mutable_grad().reset();
      }
      for (const bool view : {false, true}) {
        const auto grads = through(view);
        for (std::size_t i = 0; i < grads.size(); ++i) {
          ASSERT_EQ(grads[i].defined(), wanted[i].defined());
          if (!grads[i].defined()) continue;
          EXPECT_EQ(difference(grads[i], wanted[i], 1e-12), "");
        }
      }
    }
  }
}

TEST_P(OpErrorTest, RejectsWhatItMust) {
  for (const Rejection& rejection : GetParam().rejections) {
    SCOPED_TRACE(describe(rejection.sample, Layout::kContiguous));
    const auto inputs = make_inputs(rejection.sample, kFloat, Layout::kContiguous);
    for (const Device& device : {Device("cpu"), Device(kFirst)}) {
      const std::string text =
          device.is_cuda() ? rejection.gpu_text.value_or(rejection.text) : rejection.text;
      try {
        GetParam().function(to_device(inputs, device));
        cuda::synchronize();
        EXPECT_EQ(text, "") << "there was no error";
      } catch (const Error& error) {
        EXPECT_NE(text, "");
        EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
      }
    }
  }
}

TEST_P(OpTest, LeavesNoMemoryBehind) {
  const OpCase& op = GetParam();
  const Sample& sample = op.samples.front();
  const auto inputs = make_inputs(sample, kDouble, Layout::kContiguous);
  const auto live = [] { return tern::detail::allocator_of(kCPU).stats(0).live_bytes; };
  const auto once = [&] {
    const auto leaves = require_grad(inputs, sample);
    const Tensor result = op.function(leaves);
    if (!op.node.empty()) {
      std::vector<Tensor> wanted;
      for (const Tensor& leaf : leaves) {
        if (leaf.requires_grad()) wanted.push_back(leaf);
      }
      const auto twice = autograd::grad({result.sum()}, wanted, {}, true, op.second_order, true);
      if (twice[0].defined() && twice[0].requires_grad()) twice[0].sum().backward();
    }
  };
  once();
  const std::int64_t before = live();
  once();
  EXPECT_EQ(live(), before);
}

const auto name_of = [](const auto& test) { return test.param.name; };
const auto has_gradient = [](const OpCase& op) { return !op.node.empty(); };
const auto has_in_place = [](const OpCase& op) { return op.in_place != nullptr; };
const auto has_rejections = [](const OpCase& op) { return !op.rejections.empty(); };

INSTANTIATE_TEST_SUITE_P(All, OpTest, ::testing::ValuesIn(all_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(All, OpGradientTest, ::testing::ValuesIn(cases_where(has_gradient)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(All, OpInPlaceTest, ::testing::ValuesIn(cases_where(has_in_place)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(All, OpErrorTest, ::testing::ValuesIn(cases_where(has_rejections)),
                         name_of);

}  // namespace
}  // namespace tern::testing
