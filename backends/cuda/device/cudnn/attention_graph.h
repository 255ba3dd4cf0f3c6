#pragma once

#include <cstdint>
#include <vector>

#include <tern/backends/cuda/device/cudnn/graph.h>
#include <tern/backends/cuda/device/cudnn/operations.h>
#include <tern/core/kernels/families/attention.h>

namespace tern::cuda::device::cudnn {

using namespace kernels;

/// The number of each tensor in a graph. The sums and the gradient of the query in float32 are
/// memory that the backward pass needs.
enum AttentionTensor : std::int64_t {
  kQueryId = 1,
  kKeyId,
  kValueId,
  kOutId,
  kLogsumexpId,  // float32
  kGradId,
  kGradQueryId,
  kGradKeyId,
  kGradValueId,
  kDotsId,
  kGradQueryFloatId,
  kScaleId,
  kForbiddenId,
  kOneId
};

/// Returns true if cuDNN can describe the attention, and its engines compute it rightly.
bool is_for_cudnn(const AttentionArgs& args);

/// Returns what decides the plan.
std::vector<std::int64_t> attention_key(const AttentionArgs& args);

/// The graph of an attention or of its gradients.
class AttentionGraph final : public Graph {
 public:
  explicit AttentionGraph(const AttentionArgs& args) : args_(args) {}

  bool make(Handle handle) override;

 protected:
  bool permits(Note note) const override;

 private:
  DataType type() const { return args_.dtype == kHalf ? kHalfData : kBfloat16Data; }
  GraphTensor memory(AttentionTensor id, bool is_transposed = false);
  GraphTensor scaled(const GraphTensor& x);
  GraphTensor causal(const GraphTensor& scores);
  void add_forward();
  void add_backward();
  /// Sets y to the products of all heads, summed over the heads of each group.
  void multiply_group(const GraphTensor& a, const GraphTensor& b, const GraphTensor& y);

  AttentionArgs args_;  // its pointers are not used
  Operations operations_;
  GraphTensor scale_{};
};

}  // namespace tern::cuda::device::cudnn
