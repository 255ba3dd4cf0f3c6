#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <tern/backends/cuda/device/cudnn/node.h>

namespace tern::cuda::device::cudnn {

/// The first number of the keys of each kind of graph.
constexpr std::int64_t kConvolutionKey = 0, kAttentionKey = 1;

/// A graph of operations, for which cuDNN proposes engines.
class Graph {
 public:
  Graph() = default;
  virtual ~Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Returns false if cuDNN refuses a part.
  virtual bool make(Handle handle) = 0;
  /// Returns the engines that cuDNN proposes, the best first.
  std::vector<Node> configs(Mode mode) const;
  /// Returns true if the engine computes as the caller wants.
  bool is_permitted(const Node& config) const;

 protected:
  /// Returns true if engines with this note may compute the graph.
  virtual bool permits(Note note) const = 0;
  /// Makes the graph of its operations. Returns false if cuDNN refuses it.
  bool finish(Handle handle, std::span<const Descriptor> operations);

 private:
  Node graph_;
};

}  // namespace tern::cuda::device::cudnn
