#include <tern/backends/cuda/device/cudnn/attention_graph.h>

#include <algorithm>

// Attention as the operations of which it consists: cuDNN has engines for exactly this graph.

namespace tern::cuda::device::cudnn {
namespace {

constexpr std::size_t kLeastVersion = 91600;      // before, some backward passes were wrong
constexpr std::int64_t kMostTensor = 0x7fffffff;  // elements
constexpr std::int64_t kPack = 8;                 // elements that engines read at once
constexpr std::int64_t kMostHeadSize = 128;

/// A tensor [batch, heads, rows, size] of a call.
struct Given {
  const void* data;
  AttentionStrides strides;
  Sizes sizes;

  /// The strides, with those along extents of 1, which say nothing, beyond the others.
  Sizes used_strides() const {
    Sizes used{strides.batch, strides.head, strides.row, 1};
    std::int64_t end = sizes[3];
    for (int d = 0; d < 3; ++d) {
      if (sizes[d] > 1) end = std::max(end, used[d] * sizes[d]);
    }
    for (int d = 0; d < 3; ++d) {
      if (sizes[d] == 1) used[d] = end;
    }
    return used;
  }

  bool fits() const {
    std::int64_t last = sizes[3];
    for (int d = 0; d < 3; ++d) {
      const std::int64_t stride = used_strides()[d];
      if (stride <= 0 || stride % kPack != 0) return false;
      last += stride * (sizes[d] - 1);
    }
    return last <= kMostTensor && reinterpret_cast<std::uintptr_t>(data) % (2 * kPack) == 0;
  }
};

Given given(const AttentionArgs& a, AttentionTensor id) {
  const std::int64_t shared = a.heads / a.group;
  const Sizes query{a.batch, a.heads, a.queries, a.size}, key{a.batch, shared, a.keys, a.size};
  const Sizes value{a.batch, shared, a.keys, a.value_size};
  const Sizes out{a.batch, a.heads, a.queries, a.value_size};
  const auto result = [](const void* data, const AttentionStrides& strides, const Sizes& sizes) {
    if (data != nullptr) return Given{data, strides, sizes};
    const Sizes dense = dense_strides(sizes);  // nobody wants it
    return Given{nullptr, {dense[0], dense[1], dense[2]}, sizes};
  };
  switch (id) {
    case kQueryId:
      return {a.q, a.q_strides, query};
    case kKeyId:
      return {a.k, a.k_strides, key};
    case kValueId:
      return {a.v, a.v_strides, value};
    case kOutId:
      return {a.out, a.out_strides, out};
    case kGradId:
      return {a.grad, a.grad_strides, out};
    case kGradQueryId:
      return result(a.grad_q, a.grad_q_strides, query);
    case kGradKeyId:
      return result(a.grad_k, a.grad_k_strides, key);
    default:
      return result(a.grad_v, a.grad_v_strides, value);
  }
}

constexpr AttentionTensor kForwardTensors[] = {kQueryId, kKeyId, kValueId, kOutId};
constexpr AttentionTensor kBackwardTensors[] = {kQueryId, kKeyId,       kValueId,   kOutId,
                                                kGradId,  kGradQueryId, kGradKeyId, kGradValueId};

std::span<const AttentionTensor> tensors_of(const AttentionArgs& args) {
  if (args.op == AttentionOp::kForward) return kForwardTensors;
  return kBackwardTensors;
}

}  // namespace

bool is_for_cudnn(const AttentionArgs& a) {
  const bool is_forward = a.op == AttentionOp::kForward;
  const auto is_size = [](std::int64_t size) {
    return size > 0 && size % kPack == 0 && size <= kMostHeadSize;
  };
  if ((a.dtype != kHalf && a.dtype != kBFloat16) || a.mask != nullptr || a.keep != nullptr ||
      !is_size(a.size) || !is_size(a.value_size) || (a.options & kCudnnAttention) == 0) {
    return false;
  }
  // Graphs whose rows are as few as their scalars crash the library.
  if (a.batch * a.heads * a.queries == 1) return false;
  // Engines add to the gradient of the query in any order, and have none for one query and key.
  if (!is_forward &&
      ((a.options & kDeterministicAttention) != 0 || (a.queries == 1 && a.keys == 1))) {
    return false;
  }
  const auto tensors = tensors_of(a);
  return std::all_of(tensors.begin(), tensors.end(),
                     [&](AttentionTensor id) { return given(a, id).fits(); }) &&
         library() != nullptr && library()->cudnnGetVersion() >= kLeastVersion;
}

std::vector<std::int64_t> attention_key(const AttentionArgs& a) {
  std::vector<std::int64_t> key{kAttentionKey,
                                static_cast<std::int64_t>(a.op),
                                static_cast<std::int64_t>(a.dtype),
                                a.is_causal,
                                a.batch,
                                a.heads,
                                a.group,
                                a.queries,
                                a.keys,
                                a.size,
                                a.value_size};
  for (const AttentionTensor id : tensors_of(a)) {
    const Sizes strides = given(a, id).used_strides();
    key.insert(key.end(), strides.begin(), strides.end());
  }
  return key;
}

bool AttentionGraph::permits(Note note) const {
  return note != kDownConvertInputs && note != kReducedSum;
}

bool AttentionGraph::make(Handle handle) {
  args_.op == AttentionOp::kForward ? add_forward() : add_backward();
  return operations_.are_ready() && finish(handle, operations_.list());
}

GraphTensor AttentionGraph::memory(AttentionTensor id, bool is_transposed) {
  const Given tensor = given(args_, id);
  const Sizes strides = tensor.used_strides();
  return operations_.memory(id, type(), is_transposed ? transposed(tensor.sizes) : tensor.sizes,
                            is_transposed ? transposed(strides) : strides);
}

GraphTensor AttentionGraph::scaled(const GraphTensor& x) {
  return operations_.pointwise(kMultiply, x, scale_, operations_.between(kFloatData, x.sizes));
}

GraphTensor AttentionGraph::causal(const GraphTensor& scores) {
  if (args_.is_causal == 0) return scores;
  return operations_.lower_triangle(scores, operations_.scalar(kForbiddenId));
}

void AttentionGraph::add_forward() {
  Operations& add = operations_;
  const Sizes scores{args_.batch, args_.heads, args_.queries, args_.keys};
  const Sizes rows{args_.batch, args_.heads, args_.queries, 1};
  const auto wide = [&](const Sizes& sizes) { return add.between(kFloatData, sizes); };
  scale_ = add.scalar(kScaleId);
  const GraphTensor q = memory(kQueryId), k = memory(kKeyId, true), v = memory(kValueId);
  const GraphTensor score = causal(scaled(add.multiply(q, k, wide(scores))));
  const GraphTensor largest = add.reduce(kLargestOf, score, wide(rows));
  const GraphTensor weight =
      add.pointwise(kExp, add.pointwise(kMinus, score, largest, wide(scores)), wide(scores));
  const GraphTensor sum = add.reduce(kSumOf, weight, wide(rows));
  add.pointwise(kAdd, largest, add.pointwise(kLog, sum, wide(rows)),
                add.memory(kLogsumexpId, kFloatData, rows, dense_strides(rows)));
  add.multiply(add.pointwise(kDivide, weight, sum, add.between(type(), scores)), v, memory(kOutId));
}

void AttentionGraph::multiply_group(const GraphTensor& a, const GraphTensor& b,
                                    const GraphTensor& y) {
  if (args_.group == 1) {
    operations_.multiply(a, b, y);
    return;
  }
  Sizes sizes = y.sizes;
  sizes[1] = args_.heads;
  operations_.reduce(kSumOf, operations_.multiply(a, b, operations_.between(type(), sizes)), y);
}

void AttentionGraph::add_backward() {
  Operations& add = operations_;
  const Sizes scores{args_.batch, args_.heads, args_.queries, args_.keys};
  const Sizes rows{args_.batch, args_.heads, args_.queries, 1};
  const auto wide = [&](const Sizes& sizes) { return add.between(kFloatData, sizes); };
  // The rows of a matrix of scores as columns.
  const auto turned = [&](const GraphTensor& x) {
    return add.view(x, add.between(type(), transposed(scores), transposed(dense_strides(scores))));
  };
  scale_ = add.scalar(kScaleId);
  const GraphTensor q = memory(kQueryId), k = memory(kKeyId, true), v = memory(kValueId, true);
  const GraphTensor out = memory(kOutId), grad = memory(kGradId);
  const GraphTensor logsumexp = add.memory(kLogsumexpId, kFloatData, rows, dense_strides(rows));

  const GraphTensor dots = add.pointwise(
      kMultiply,
      add.reduce(kSumOf, add.pointwise(kMultiply, grad, out, wide(out.sizes)), wide(rows)),
      add.scalar(kOneId), add.memory(kDotsId, kFloatData, rows, dense_strides(rows)));

  const GraphTensor score = scaled(add.multiply(q, k, wide(scores)));
  const GraphTensor weight = add.pointwise(
      kExp, causal(add.pointwise(kMinus, score, logsumexp, wide(scores))), wide(scores));
  multiply_group(turned(weight), grad, memory(kGradValueId));

  const GraphTensor slope =
      add.pointwise(kMinus, add.multiply(grad, v, wide(scores)), dots, wide(scores));
  const GraphTensor of_score =
      add.pointwise(kMultiply, add.pointwise(kMultiply, slope, weight, wide(scores)), scale_,
                    add.between(type(), scores));
  multiply_group(turned(of_score), q, memory(kGradKeyId));

  const GraphTensor key =
      add.view(k, add.between(type(), transposed(k.sizes), transposed(k.strides)));
  const GraphTensor sum = add.multiply(
      of_score, key, add.memory(kGradQueryFloatId, kFloatData, q.sizes, dense_strides(q.sizes)));
  add.pointwise(kIdentity, sum, memory(kGradQueryId));
}

}  // namespace tern::cuda::device::cudnn
