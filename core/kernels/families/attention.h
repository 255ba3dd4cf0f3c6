#pragma once

#include <tern/core/kernels/host_device.h>
#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

enum class AttentionOp : std::int32_t { kForward, kBackward };

/// What cuDNN may do, as bits; every other kernel ignores them.
enum AttentionOptions : std::int32_t {
  kDeterministicAttention = 1,  // use only engines that give the same bits each time
  kCudnnAttention = 2,          // compute this shape, for which it may compile for seconds
};

/// How far batch, head and row of a [batch, heads, rows, size] tensor are apart. Elements of a row
/// lie next to each other.
struct AttentionStrides {
  std::int64_t batch, head, row;
};

/// Attention of `queries` rows of q [batch, heads, queries, size] to `keys` rows of k [batch, heads
/// / group, keys, size] and v [batch, heads / group, keys, value_size], in a floating dtype. Head h
/// of q belongs to head h / group of k and v. batch, heads, queries, keys and value_size are
/// positive.
///   kForward: score = scale * q k^T + mask; weight = softmax(score) * keep * keep_scale;
///   out = weight v. logsumexp [batch, heads, queries], float64 for every dtype, receives log(sum
///   of e^score) of each query. If all scores of a query are -infinity, its row of out is 0 and its
///   logsumexp -infinity.
///   kBackward: reads also out, logsumexp and grad, the gradient of out, and computes the gradients
///   of q, k and v; each of them may be null.
/// The mask, if not null, is [batch, heads, queries, keys] with any strides (4): bool, false where
/// the score is -infinity, or the math dtype (float32 for float16 and bfloat16), which is added.
/// Causal: query i has the keys 0 to i alone, and there is no mask. keep, if not null, is a
/// contiguous bool [batch, heads, queries, keys].
struct AttentionArgs {
  AttentionOp op;
  ScalarType dtype, mask_dtype;
  std::int32_t is_causal, options;
  std::int64_t batch, heads, group, queries, keys, size, value_size;
  double scale, keep_scale;
  const void* q;
  const void* k;
  const void* v;
  const void* mask;
  const bool* keep;
  void* out;  // kBackward only reads it
  double* logsumexp;
  const void* grad;
  void* grad_q;
  void* grad_k;
  void* grad_v;
  AttentionStrides q_strides, k_strides, v_strides, out_strides, grad_strides, grad_q_strides,
      grad_k_strides, grad_v_strides;
  std::int64_t mask_strides[4];
};

TERN_KERNEL_SLOT(attention, AttentionArgs)

/// Returns the weight above which the gradient of a score is 0, for a query with this logsumexp.
/// If one key has all the weight in the forward pass, its weight is the constant 1. As a difference
/// of two sums its gradient would be rounding alone, of 2^-9 where `out` is a bfloat16. Only then
/// is logsumexp, the score plus log(1), a float; no query of float64 has a limit.
template <class T>
TERN_HOST_DEVICE T weight_limit(double logsumexp) {
  const bool one_key = sizeof(T) == 4 && double{static_cast<T>(logsumexp)} == logsumexp;
  return one_key ? T(0.5) : T(2);
}

inline Operands operands(AttentionArgs& args) {
  const std::int64_t b = args.batch, h = args.heads, kv = args.heads / args.group;
  const auto rows = [&](const AttentionStrides& strides, std::int64_t heads, std::int64_t count,
                        std::int64_t size) {
    return std::vector<Extent>{
        {b, strides.batch}, {heads, strides.head}, {count, strides.row}, {size, 1}};
  };
  const std::int64_t* const mask = args.mask_strides;
  return Operands()
      .add("the query", args.q, args.dtype, rows(args.q_strides, h, args.queries, args.size))
      .add("the key", args.k, args.dtype, rows(args.k_strides, kv, args.keys, args.size))
      .add("the value", args.v, args.dtype, rows(args.v_strides, kv, args.keys, args.value_size))
      .add("the mask", args.mask, args.mask_dtype,
           {{b, mask[0]}, {h, mask[1]}, {args.queries, mask[2]}, {args.keys, mask[3]}})
      .add("the kept weights", args.keep, kBool, b * h * args.queries * args.keys)
      .add("the output", args.out, args.dtype,
           rows(args.out_strides, h, args.queries, args.value_size))
      .add("the logarithms of sums", args.logsumexp, kDouble, b * h * args.queries)
      .add("the gradient", args.grad, args.dtype,
           rows(args.grad_strides, h, args.queries, args.value_size))
      .add("the query's gradient", args.grad_q, args.dtype,
           rows(args.grad_q_strides, h, args.queries, args.size))
      .add("the key's gradient", args.grad_k, args.dtype,
           rows(args.grad_k_strides, kv, args.keys, args.size))
      .add("the value's gradient", args.grad_v, args.dtype,
           rows(args.grad_v_strides, kv, args.keys, args.value_size));
}

}  // namespace tern::kernels
