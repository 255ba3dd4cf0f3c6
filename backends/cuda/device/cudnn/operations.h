#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include <tern/backends/cuda/device/cudnn/node.h>

namespace tern::cuda::device::cudnn {

using Sizes = std::array<std::int64_t, 4>;

/// The strides of contiguous elements.
Sizes dense_strides(const Sizes& sizes);
/// Exchanges the last two sizes or strides.
Sizes transposed(const Sizes& sizes);

/// A tensor of four dimensions; `node` is null after a failure.
struct GraphTensor {
  Sizes sizes, strides;
  Descriptor node;
};

/// Operations on tensors of four dimensions, for a graph. Sums and products are float32.
class Operations {
 public:
  /// A tensor in memory, whose number is below kFirstBetween.
  GraphTensor memory(std::int64_t id, DataType type, const Sizes& sizes, const Sizes& strides);
  /// A float32 that the host gives with each call.
  GraphTensor scalar(std::int64_t id);
  /// A tensor between two operations, which is in no memory.
  GraphTensor between(DataType type, const Sizes& sizes, const Sizes& strides);
  GraphTensor between(DataType type, const Sizes& sizes) {
    return between(type, sizes, dense_strides(sizes));
  }

  /// Each sets y and returns it. Matrix products and pointwise operations repeat the elements of
  /// an operand along dimensions of size 1; products repeat the matrices of b, also in groups.
  GraphTensor multiply(const GraphTensor& a, const GraphTensor& b, const GraphTensor& y);
  GraphTensor pointwise(Mode mode, const GraphTensor& x, const GraphTensor& y);
  GraphTensor pointwise(Mode mode, const GraphTensor& x, const GraphTensor& b,
                        const GraphTensor& y);
  /// x reduced to the sizes of y.
  GraphTensor reduce(Mode mode, const GraphTensor& x, const GraphTensor& y);
  /// The elements of x, seen with the sizes and strides of y.
  GraphTensor view(const GraphTensor& x, const GraphTensor& y);
  /// Replaces the elements of x above the diagonal.
  GraphTensor lower_triangle(const GraphTensor& x, const GraphTensor& replacement);

  /// Returns false if cuDNN refused a part.
  bool are_ready() const { return ready_; }
  const std::vector<Descriptor>& list() const { return operations_; }

 private:
  static constexpr std::int64_t kFirstBetween = 100;

  GraphTensor add(std::int64_t id, DataType type, const Sizes& sizes, const Sizes& strides,
                  bool is_virtual, bool is_by_value);
  Node pointwise_node(Mode mode, DataType math);
  Descriptor keep(Node node);
  void add_operation(Node node) { operations_.push_back(keep(std::move(node))); }

  std::deque<Node> nodes_;
  std::vector<Descriptor> operations_;
  std::int64_t next_ = kFirstBetween;
  bool ready_ = true;
};

}  // namespace tern::cuda::device::cudnn
