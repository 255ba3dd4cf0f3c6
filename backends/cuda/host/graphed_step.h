#pragma once

#include <functional>
#include <vector>

#include <tern/backends/cuda/host/graph.h>
#include <tern/core/tensor/tensor.h>

namespace tern::cuda {

/// A training step that becomes a CUDA graph after its first calls:
///
///   Tensor x = empty({128, 784}, kCUDA);
///   cuda::GraphedStep step({x}, [&] {
///     optimizer.zero_grad();
///     Tensor loss = loss_of(net(x), x);
///     loss.backward();
///     optimizer.step();  // AdamOptions().capturable(true)
///     return loss;
///   });
///   for (const Tensor& batch : batches) total += step(batch);
///
/// The first `warmup` calls run the function as it is; the next one captures it; from then on every
/// call is a replay. So every call is one step, with the numbers that it has without a graph. The
/// function must do the same work each time, on tensors that stay, and read no result on the host:
/// CUDAGraph says what holds for a capture.
class TERN_API GraphedStep {
 public:
  /// `inputs` are what `step` reads; all on one CUDA device, else DeviceError. Graphs with one
  /// `pool` share memory, as CUDAGraph says.
  GraphedStep(std::vector<Tensor> inputs, std::function<Tensor()> step, int warmup = 3,
              MempoolId pool = {});

  /// Copies the values into the inputs and does one step. Returns what the function returned,
  /// detached; once captured, that is one tensor which the next call overwrites. Throws Error for
  /// another number of values, ShapeError for another size.
  template <class... Values>
  Tensor operator()(const Values&... values) {
    return run({values...});
  }
  /// The same.
  Tensor run(const std::vector<Tensor>& values);

  /// The graph; empty until the first capture.
  CUDAGraph& graph() { return graph_; }

 private:
  std::vector<Tensor> inputs_;
  std::function<Tensor()> step_;
  int warmup_;  // calls that are left
  MempoolId pool_;
  Stream side_;  // where the capture is made
  CUDAGraph graph_;
  Tensor result_;
};

}  // namespace tern::cuda
