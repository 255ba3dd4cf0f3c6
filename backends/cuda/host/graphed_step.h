#pragma once

#include <functional>
#include <vector>

#include <tern/backends/cuda/host/graph.h>
#include <tern/core/tensor/tensor.h>

namespace tern::cuda {

/// A training step that becomes a CUDA graph after its first calls.
///
/// The first `warmup` calls run the function as it is, the next call captures it, and every later
/// call replays it. So every call does one step, with the same results as without a graph. The
/// function must do the same work each time, on tensors that stay alive, and must not read a result
/// on the host; see CUDAGraph.
///
/// Example:
///   Tensor x = empty({128, 784}, kCUDA);
///   cuda::GraphedStep step({x}, [&] {
///     optimizer.zero_grad();
///     Tensor loss = loss_of(net(x), x);
///     loss.backward();
///     optimizer.step();  // AdamOptions().capturable(true)
///     return loss;
///   });
///   for (const Tensor& batch : batches) total += step(batch);
class TERN_API GraphedStep {
 public:
  /// Prepares a step. `inputs` are the tensors that `step` reads. Graphs with one `pool` share
  /// memory, as in CUDAGraph. Throws DeviceError unless all inputs are on one CUDA device.
  GraphedStep(std::vector<Tensor> inputs, std::function<Tensor()> step, int warmup = 3,
              MempoolId pool = {});

  /// Copies the values into the inputs and does one step on the current stream, after the previous
  /// step, whatever its stream. Values in pinned memory are read while
  /// the step runs and must stay alive until then. Returns the function's result, detached; after
  /// the capture this is always the same tensor, which the next call overwrites. Throws Error for a
  /// wrong number of values, ShapeError for a wrong shape.
  template <class... Values>
  Tensor operator()(const Values&... values) {
    return run({values...});
  }
  /// Does the same as operator().
  Tensor run(const std::vector<Tensor>& values);

  /// Returns the graph, which is empty until the capture.
  CUDAGraph& graph() { return graph_; }

 private:
  std::vector<Tensor> inputs_;
  std::function<Tensor()> step_;
  int warmup_;  // warm-up calls that remain
  MempoolId pool_;
  Stream side_;  // the stream of the capture
  CUDAGraph graph_;
  Tensor result_;
};

}  // namespace tern::cuda
