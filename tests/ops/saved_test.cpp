#include <iostream>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <tern/core/tensor/detail/allocator.h>

#include "brief.h"
#include "ops/op_case.h"

// What ops keep for backward, for every record: only saved tensors, whose changes in place are
// noticed. The kernels have no part in it, so a brief run sees the first sample.

namespace tern::testing {
namespace {

/// A call whose differentiable arguments are results of ops, so that they may be changed in place.
struct RecordedCall {
  std::vector<Tensor> leaves, arguments, wanted;
  Tensor result, weights;

  RecordedCall(const OpCase& op, const Sample& sample)
      : leaves(require_grad(make_inputs(sample, kDouble, Layout::kContiguous), sample)) {
    for (const Tensor& leaf : leaves) {
      arguments.push_back(leaf.requires_grad() ? leaf * 1 : leaf.clone());
      if (leaf.requires_grad()) wanted.push_back(leaf);
    }
    result = op.function(arguments);
    weights = numbers_like(result, 4).requires_grad_();
  }

  /// Returns the gradients of the leaves.
  std::vector<Tensor> gradients(bool create_graph) const {
    return autograd::grad({result}, wanted, {weights}, std::nullopt, create_graph,
                          /*allow_unused=*/true);
  }
  /// Returns the gradients of `slopes` with respect to the leaves and the weights.
  std::vector<Tensor> second(const std::vector<Tensor>& slopes) const {
    std::vector<Tensor> outputs, starts, inputs = wanted;
    for (const Tensor& slope : slopes) {
      if (!slope.defined() || !slope.requires_grad()) continue;
      outputs.push_back(slope);
      starts.push_back(numbers_like(slope, 3));
    }
    inputs.push_back(weights);
    if (outputs.empty()) return {};
    return autograd::grad(outputs, inputs, starts, std::nullopt, false, /*allow_unused=*/true);
  }
  /// Returns what may be changed between forward and backward.
  std::vector<Tensor> changeable() const {
    std::vector<Tensor> tensors = arguments;
    tensors.push_back(result);
    tensors.push_back(weights);
    return tensors;
  }

 private:
  static Tensor numbers_like(const Tensor& like, int period) {
    return (arange(like.numel(), TensorOptions(like.dtype())) % period / period + 1)
        .reshape(like.sizes());
  }
};

/// Changes elements in place, outside of the graph: integers stay in their range, because they may
/// be indices.
void change_values(const Tensor& tensor) {
  Tensor x = tensor.detach();
  if (x.numel() == 0 || x.self().has_internal_overlap()) return;
  if (x.is_floating_point()) {
    x.mul_(-1.75).add_(0.375);
  } else if (x.dtype() == kBool) {
    x.logical_not_();
  } else {
    x.copy_(x.max() + x.min() - x);
  }
}

class OpSavedTest : public OpCaseTest {
 protected:
  static void TearDownTestSuite() {
    std::cout << refused_ << " changes of saved tensors are refused, " << right_
              << " leave the gradients right.\n";
  }

  /// Expects that `compute` returns `wanted`, or that it notices a change in place.
  template <class Compute>
  static void expect_right_or_refused(const Compute& compute, const std::vector<Tensor>& wanted) {
    std::vector<Tensor> is;
    try {
      is = compute();
    } catch (const Error& error) {
      const std::string text = error.what();
      // A piece of split or unbind cannot be used any more.
      const bool is_noticed =
          text.find("has been modified by an inplace operation") != std::string::npos ||
          text.find("another view of its base has been modified inplace") != std::string::npos;
      EXPECT_TRUE(is_noticed) << text;
      ++refused_;
      return;
    }
    ++right_;
    ASSERT_EQ(is.size(), wanted.size());
    for (std::size_t i = 0; i < is.size(); ++i) {
      ASSERT_EQ(is[i].defined(), wanted[i].defined());
      if (is[i].defined()) {
        EXPECT_EQ(difference(is[i], wanted[i], 1e-9), "") << "gradient " << i;
      }
    }
  }

  static inline int refused_ = 0, right_ = 0;
};

TEST_P(OpSavedTest, ChangesInPlaceAreNoticed) {
  const OpCase& op = GetParam();
  for (const Sample& sample : op.samples) {
    if (is_brief_run() && &sample != &op.samples.front()) break;
    const std::vector<Tensor> right = RecordedCall(op, sample).gradients(false);
    std::vector<Tensor> right_second;
    if (op.second_order) {
      const RecordedCall call(op, sample);
      right_second = call.second(call.gradients(true));
    }
    for (std::size_t i = 0; i < sample.size() + 2; ++i) {
      SCOPED_TRACE(describe(sample, Layout::kContiguous) + ", changed tensor " + std::to_string(i));
      if (i <= sample.size()) {
        const RecordedCall call(op, sample);
        change_values(call.changeable()[i]);
        expect_right_or_refused([&] { return call.gradients(false); }, right);
      }
      if (!op.second_order) continue;
      const RecordedCall call(op, sample);
      const std::vector<Tensor> slopes = call.gradients(true);
      change_values(call.changeable()[i]);
      expect_right_or_refused([&] { return call.second(slopes); }, right_second);
    }
  }
}

/// Frees the saved tensors of `root` and of all nodes that it leads to.
void release_graph(const IntrusivePtr<autograd::Node>& root) {
  std::set<autograd::Node*> seen;
  std::vector<autograd::Node*> open = {root.get()};
  while (!open.empty()) {
    autograd::Node* const node = open.back();
    open.pop_back();
    if (node == nullptr || !seen.insert(node).second) continue;
    node->release_saved();
    for (const autograd::Edge& edge : node->next_edges()) open.push_back(edge.function.get());
  }
}

// A node that keeps a tensor elsewhere than in a SavedTensor would not notice that it was changed,
// and would not tell the allocator that backward reads it on another stream.
TEST_P(OpSavedTest, NodesKeepTensorsAsSavedTensorsOnly) {
  const OpCase& op = GetParam();
  for (const Device device : {Device("cpu"), Device("cuda:0")}) {
    const auto live = [&] { return tern::detail::allocator_of(device.type()).stats(0).live_bytes; };
    for (const Sample& sample : op.samples) {
      if (is_brief_run() && &sample != &op.samples.front()) break;
      SCOPED_TRACE(describe(sample, Layout::kContiguous) + " on " + device.str());
      const auto graph = [&](bool create_graph) {
        auto leaves = require_grad(
            to_device(make_inputs(sample, kDouble, Layout::kContiguous), device), sample);
        const Tensor result = op.function(leaves);
        if (!create_graph) return result.grad_fn();
        std::vector<Tensor> wanted;
        for (const Tensor& leaf : leaves) {
          if (leaf.requires_grad()) wanted.push_back(leaf);
        }
        const Tensor weights = ones_like(result.detach()).requires_grad_();
        for (const Tensor& slope : autograd::grad({result}, wanted, {weights}, true, true, true)) {
          if (slope.defined() && slope.requires_grad()) return slope.grad_fn();
        }
        return result.grad_fn();
      };
      for (const bool create_graph : {false, true}) {
        if (create_graph && !op.second_order) continue;
        graph(create_graph);  // fills caches
        const std::int64_t before = live();
        const IntrusivePtr<autograd::Node> node = graph(create_graph);
        release_graph(node);
        EXPECT_EQ(live(), before) << (create_graph ? "backward" : "forward");
      }
    }
  }
}

/// Calls `body` on `stream`, after the work so far of the current stream.
template <class Body>
void on_stream(const cuda::Stream& stream, const Body& body) {
  cuda::Event ready;
  ready.record();
  ready.block(stream);
  const cuda::StreamGuard guard(stream);
  body();
}

/// Writes to memory of the current stream that was freed.
void reuse_memory(Device device) {
  std::vector<Tensor> later;
  for (const std::int64_t size : {64, 64, 64, 64, 64, 64, 64, 64, 128, 128, 192, 256, 512, 2000}) {
    later.push_back(full({size}, 9, TensorOptions(kDouble).device(device)));
  }
}

// The simulator runs streams late, and stops the reuse of memory that work of another stream still
// reads.
TEST_P(OpSavedTest, BackwardOnAnotherStreamReadsNoReusedMemory) {
  const OpCase& op = GetParam();
  const Device device("cuda:0");
  const cuda::Stream side = cuda::getStreamFromPool(false, 0);
  const cuda::Stream other = cuda::getStreamFromPool(false, 0);
  for (const Sample& sample : op.samples) {
    if (is_brief_run() && &sample != &op.samples.front()) break;
    SCOPED_TRACE(describe(sample, Layout::kContiguous));
    std::vector<Tensor> wanted;
    Tensor result;
    {
      const std::vector<Tensor> leaves = require_grad(
          to_device(make_inputs(sample, kDouble, Layout::kContiguous), device), sample);
      std::vector<Tensor> arguments;  // only the nodes keep these
      for (const Tensor& leaf : leaves) {
        arguments.push_back(leaf.requires_grad() ? leaf * 1 : leaf.clone());
        if (leaf.requires_grad()) wanted.push_back(leaf);
      }
      result = op.function(arguments);
    }
    for (const Tensor& leaf : wanted) {  // so that its memory is not what is reused
      for (const cuda::Stream& stream : {side, other}) leaf.record_stream(stream);
    }
    std::vector<Tensor> slopes;
    on_stream(side, [&] {
      const Tensor start = ones(result.sizes(), result.options()).requires_grad_();
      slopes = autograd::grad({result}, wanted, {start}, op.second_order, op.second_order, true);
      on_stream(other, [&] {
        std::vector<Tensor> outputs;
        for (const Tensor& slope : slopes) {
          if (slope.defined() && slope.requires_grad()) outputs.push_back(slope);
        }
        std::vector<Tensor> starts;
        for (const Tensor& slope : outputs) starts.push_back(ones_like(slope.detach()));
        if (!outputs.empty()) autograd::grad(outputs, wanted, starts, {}, false, true);
        start.record_stream(cuda::getCurrentCUDAStream(0));
      });
    });
    result.reset();
    slopes.clear();
    reuse_memory(device);
    {
      const cuda::StreamGuard guard(side);
      reuse_memory(device);
    }
    cuda::synchronize(0);
  }
}

INSTANTIATE_TEST_SUITE_P(All, OpSavedTest, ::testing::ValuesIn(cases_where([](const OpCase& op) {
                           return !op.node.empty();
                         })),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace tern::testing
