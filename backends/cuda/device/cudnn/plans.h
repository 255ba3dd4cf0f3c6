#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <tern/backends/cuda/device/cudnn/graph.h>
#include <tern/backends/cuda/device/support/scratch.h>
#include <tern/core/kernels/slots.h>

namespace tern::cuda::device::cudnn {

using namespace kernels;

/// What decides how cuDNN computes, beginning with a number for the kind of graph. Calls with equal
/// keys share a plan.
using Key = std::vector<std::int64_t>;

/// A tensor of a graph and its elements.
struct Buffer {
  std::int64_t id;
  void* data;
};

/// Work for cuDNN.
struct Call {
  Key key;
  std::function<std::shared_ptr<Graph>()> make_graph;
  /// Lists the tensors. Called when there is a plan, so it may queue what must happen before.
  /// Returns false if there is no memory, or after a failure.
  std::function<bool(std::vector<Buffer>&)> list_buffers;
  bool times;            // the first call outside of captures times the engines
  const char* shortage;  // the note of a call for which there is no memory
};

/// Queues a call. Returns false if there is no cuDNN, it has no engine for the graph, or there is
/// no memory for its workspace; nothing is queued then. Failures are reported in the context.
bool run(const std::function<Call()>& make_call, KernelContext& context);

/// Device memory, or none of 0 bytes.
class Memory {
 public:
  /// Returns false if there is no memory, which is no failure, or if the allocation failed.
  bool allocate(std::int64_t bytes, KernelContext& context);
  void* data() const { return memory_ ? memory_->get<void>() : nullptr; }

 private:
  std::optional<Scratch> memory_;
};

/// Memory beside the operands that a call needs, in one block.
class Extra {
 public:
  /// Returns the place of the next `bytes` in the block.
  std::int64_t add(std::int64_t bytes) {
    constexpr std::int64_t kAlignment = 256;
    const std::int64_t at = size_;
    size_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return at;
  }
  bool allocate(KernelContext& context) { return memory_.allocate(size_, context); }
  void* at(std::int64_t place) const { return static_cast<char*>(memory_.data()) + place; }

 private:
  std::int64_t size_ = 0;
  Memory memory_;
};

}  // namespace tern::cuda::device::cudnn
