#pragma once

#include <cstdint>

#include <tern/core/tensor/dtype.h>

// What kernels get: plain data that can be copied byte by byte, so the same structs serve the CPU
// backend, a plugin, and a queue of work that runs later. Strides count elements, not bytes.

namespace tern::kernels {

/// The most dimensions that a tensor may have.
constexpr int kMaxDims = 16;

/// A tensor as kernels see it; non-owning.
struct View {
  void* data;
  ScalarType dtype;
  std::int32_t ndim;
  std::int64_t sizes[kMaxDims];
  std::int64_t strides[kMaxDims];
};

/// One number, in the field that the dtype at hand reads: `f` for floating dtypes, `i` for integral
/// ones and bool.
struct Immediate {
  double f;
  std::int64_t i;
};

enum class ElementwiseOp : std::int32_t {
#define TERN_ELEMENTWISE(name, inputs, kind) name,
#include <tern/core/kernels/elementwise.def>
#undef TERN_ELEMENTWISE
};

/// out[i] = formula(in0[i], in1[i], in2[i]) over a shape whose dimensions were merged where all
/// operands allow it, the last one running fastest. A broadcast dimension has stride 0. ndim 0 is
/// one element; no size is 0 (empty results never reach a kernel). The output may be the same
/// memory as an input with the same strides, and overlaps in no other way.
struct ElementwiseArgs {
  ElementwiseOp op;
  ScalarType dtype;  // of all inputs (where_op's first is bool) and of the output unless kCompare
  std::int32_t inputs;
  std::int32_t ndim;
  std::int64_t sizes[kMaxDims];
  void* out;
  const void* in[3];  // null: the operand is immediate[k]
  std::int64_t out_strides[kMaxDims];
  std::int64_t in_strides[3][kMaxDims];
  Immediate immediate[3];
  Immediate scale;  // add, sub: a +- scale * b; addcmul's value; lerp's weight; 1 otherwise
};

/// out[i] = cast(in[i]); same rules for shape and strides. Casts as PyTorch on x86: floats are
/// truncated towards zero, and what is out of range or NaN gives the minimum of int64 or int32;
/// int16 and int8 are the low bits of the int32, uint8 those of the int64; non-zero and NaN to bool
/// give true; to half and bfloat16 goes by way of float, to nearest even.
struct CopyArgs {
  std::int32_t ndim;
  ScalarType out_dtype, in_dtype;
  std::int64_t sizes[kMaxDims];
  void* out;
  const void* in;
  std::int64_t out_strides[kMaxDims];
  std::int64_t in_strides[kMaxDims];
};

/// Every element of out becomes value.
struct FillArgs {
  View out;
  Immediate value;
};

/// out[i] = start + i * step, one-dimensional and contiguous. Floats follow PyTorch's grouping
/// (each element computed in double from start, then rounded).
struct ArangeArgs {
  ScalarType dtype;
  void* out;
  std::int64_t count;
  Immediate start, step;
};

enum class ReduceOp : std::int32_t { kSum, kProd, kAmax, kAmin, kAny, kAll, kArgmax, kArgmin };

/// Reduces the `reduced` dimensions of in for each place of the `kept` ones. Dimensions were merged
/// where the strides allow it; the last one runs fastest in memory order.
///   kSum, kProd, kAmax, kAmin: in_dtype == out_dtype; float sums keep 1e-5 relative accuracy
///   (several partial sums), NaN wins in kAmax and kAmin.
///   kAny, kAll: any dtype in, bool out.
///   kArgmax, kArgmin: int64 out, the first position of the extreme (the first NaN if there is
///   one), counted in the row-major order of the reduced dimensions; `values`, when not null, gets
///   the extreme itself with the same strides as out.
/// A kept shape without elements never reaches a kernel; an empty reduced shape only for kSum (0),
/// kProd (1), kAny (false), kAll (true).
struct ReduceArgs {
  ReduceOp op;
  ScalarType in_dtype, out_dtype;
  std::int32_t kept_ndim, reduced_ndim;
  std::int64_t kept_sizes[kMaxDims], kept_in_strides[kMaxDims], kept_out_strides[kMaxDims];
  std::int64_t reduced_sizes[kMaxDims], reduced_in_strides[kMaxDims];
  const void* in;
  void* out;
  void* values;
  double scale;  // kSum of floating dtypes: the sum is multiplied by it (1 / n for a mean)
};

/// What happens to a product before it is stored.
enum class GemmEpilogue : std::int32_t { kNone, kRelu };

/// How exact a product of float32 matrices must be. kMedium lets a backend round the operands to
/// bfloat16, kHigh to 10 bits of fraction or more; sums stay float32. Any may compute as kHighest.
enum class GemmPrecision : std::int32_t { kHighest, kHigh, kMedium };

/// c = epilogue(alpha * a x b + beta * c + bias) for each of `batch` matrices, in float32, float64
/// or int64. a is m x k, b is k x n with any strides (a transposed operand has its strides
/// swapped; a broadcast batch has stride 0); c has contiguous rows (c_row_stride >= n). bias,
/// when not null, has n elements with stride bias_stride. beta == 0 does not read c. k == 0 gives
/// beta * c + bias.
struct GemmArgs {
  ScalarType dtype;
  GemmEpilogue epilogue;
  GemmPrecision precision;  // of float32
  std::int64_t batch, m, n, k;
  const void* a;
  std::int64_t a_batch_stride, a_row_stride, a_col_stride;
  const void* b;
  std::int64_t b_batch_stride, b_row_stride, b_col_stride;
  void* c;
  std::int64_t c_batch_stride, c_row_stride;
  const void* bias;
  std::int64_t bias_stride;
  double alpha, beta;
};

enum class SoftmaxOp : std::int32_t {
  kSoftmax,
  kLogSoftmax,
  kSoftmaxBackward,
  kLogSoftmaxBackward
};

/// Softmax over `size` of a contiguous [outer, size, inner], floating dtypes. The backward forms
/// read the forward's result in `in` and the gradient in `grad`:
/// softmax: y * (g - sum(g y)); log_softmax: g - exp(y) * sum(g).
struct SoftmaxArgs {
  SoftmaxOp op;
  ScalarType dtype;
  std::int64_t outer, size, inner;
  const void* in;
  const void* grad;
  void* out;
};

enum class LayerNormOp : std::int32_t { kForward, kBackward };

/// Normalisation of each row of a contiguous [rows, size], floating dtypes, none of them empty.
///   kForward: out = (in - mean) * rstd * weight + bias with rstd = 1 / sqrt(variance + eps), the
///   variance divided by size; weight and bias have `size` elements, or are null (1 and 0). mean
///   and rstd, when not null, get one number per row.
///   kBackward: from grad, that of the forward's out, and what the forward left: with h = grad *
///   weight, x = (in - mean) * rstd and means over the row,
///   grad_in = rstd * (h - mean(h) - x * mean(h * x)); summed over the rows, grad_weight = grad * x
///   and grad_bias = grad. Each of the three may be null.
/// Float results keep 1e-5 relative accuracy also where the mean is large beside the deviation.
struct LayerNormArgs {
  LayerNormOp op;
  ScalarType dtype;
  std::int64_t rows, size;
  double eps;
  const void* in;
  const void* weight;
  const void* bias;
  void* out;
  double* mean;  // float64 for every dtype
  double* rstd;
  const void* grad;
  void* grad_in;
  void* grad_weight;
  void* grad_bias;
};

enum class BatchNormOp : std::int32_t { kForward, kBackward };

/// Normalisation of each channel of a contiguous [outer, channels, inner], floating dtypes, none of
/// them empty.
///   kForward: out = (in - mean) * rstd * weight + bias with rstd = 1 / sqrt(variance + eps); in
///   training mean and variance (divided by outer * inner) are those of the input and are written,
///   else they are read. weight and bias have one element per channel, or are null (1 and 0).
///   kBackward: from grad, that of the forward's out, and its mean and variance: with x = (in -
///   mean) * rstd and means over the channel, grad_in = rstd * weight * (grad - mean(grad) -
///   x * mean(grad * x)) in training, else rstd * weight * grad; summed over the channel,
///   grad_weight = grad * x and grad_bias = grad. Each of the three may be null.
struct BatchNormArgs {
  BatchNormOp op;
  ScalarType dtype;
  std::int32_t training;
  std::int64_t outer, channels, inner;
  double eps;
  const void* in;
  const void* weight;
  const void* bias;
  void* out;
  double* mean;  // float64 for every dtype
  double* variance;
  const void* grad;
  void* grad_in;
  void* grad_weight;
  void* grad_bias;
};

enum class IndexOp : std::int32_t {
  kSelect,     // index_select: out[o, j, i] = in[o, index[j], i]
  kAdd,        // index_add_:   out[o, index[j], i] += in[o, j, i]
  kGather,     // gather:       out[o, j, i] = in[o, index[o, j, i], i]
  kScatterAdd  // scatter_add_: out[o, index[o, j, i], i] += in[o, j, i]
};

/// Contiguous tensors seen as [outer, size, inner]; index is int64 and contiguous. Adding goes
/// serially in j, on CUDA in any order. An index outside [0, limit) stops with kIndexOutOfRange and
/// its value in the status; CUDA leaves its elements out and says so at the next wait.
struct IndexArgs {
  IndexOp op;
  ScalarType dtype;
  std::int64_t outer, inner;
  std::int64_t in_size, out_size;  // of the indexed dimension in `in` and `out`
  std::int64_t count;              // how many j
  std::int64_t limit;              // of valid indices: in_size when reading, out_size when adding
  const void* in;
  const std::int64_t* index;
  void* out;
};

/// What the elements of an argument must be.
enum class RequireOp : std::int32_t {
  kDivisor,      // of an integer remainder: not 0
  kProbability,  // of bernoulli: in [0, 1]
};

/// Stops with kInvalidValue unless all `count` values keep the rule; CUDA says so at the next wait.
struct RequireArgs {
  RequireOp op;
  ScalarType dtype;
  std::int64_t count;
  const void* values;
};

enum class RandomOp : std::int32_t {
  kUniform,    // a = from, b = to
  kNormal,     // a = mean, b = std
  kBernoulli,  // a = p
  kRandint,    // integers in [low, high), their number taken modulo 2^64; 0 stands for any 64 bits
};

/// Fills `out` in memory order (the view is dense: contiguous or a permutation of it) with numbers
/// of `generator`: on the CPU a tern::Mt19937*, by PyTorch's rules (random.cpp there); on a
/// device the seed and offset of Philox4x32-10, element / 4 being the subsequence and element % 4
/// the word. In a graph, whose arguments are frozen, `philox` is not null: the kernel reads the
/// seed from philox[0] when it runs, and its offset is philox[1] + `offset`. What needs 64 bits
/// (float64, kRandint over a range from 2^28 on) takes two words: elements 0 and 1 of four from the
/// block at `offset`, 2 and 3 from the next.
struct RandomArgs {
  RandomOp op;
  ScalarType dtype;
  void* out;
  std::int64_t count;
  std::int32_t contiguous;  // the view is row-major, not a permutation of it
  double a, b;
  std::int64_t low, high;
  void* generator;
  std::uint64_t seed, offset;
  const std::uint64_t* philox;  // device memory, aligned to 16 bytes; null outside a graph
};

/// How many tensors one optimizer call takes; a caller with more makes several calls.
constexpr int kMaxOptimTensors = 24;

/// One Adam step for several parameters of one dtype, all contiguous with equal layout; scalars
/// computed in double. Order of operations in float32 (fma = one rounding), as Python's PyTorch:
///   g += weight_decay * p (Adam) or p *= 1 - lr * weight_decay (AdamW, `decoupled`)
///   m = fma(1 - beta1, g - m, m); v = fma((1 - beta2) * g, g, beta2 * v)
///   d = sqrt(v) / sqrt(1 - beta2^t) + eps; p = p + (-(lr / (1 - beta1^t)) * m) / d
/// with amsgrad max_v = max(max_v, v) stands in d for v.
/// The arguments of a graph are frozen, so a capturable optimizer keeps what changes on its device.
/// A kernel that finds `device_lr` reads lr there, and one that finds `device_step` (t, this step
/// counted from 1, which an earlier kernel of the stream has counted up) computes, in double,
/// bias_correction1 = 1 - pow(beta1, t) and bias_correction2_sqrt = sqrt(1 - pow(beta2, t)).
struct AdamArgs {
  ScalarType dtype;
  std::int32_t count;
  std::int32_t amsgrad, decoupled, maximize;
  double lr, beta1, beta2, eps, weight_decay;
  double bias_correction1;       // 1 - beta1^t
  double bias_correction2_sqrt;  // sqrt(1 - beta2^t)
  const double* device_lr;       // device memory; null unless capturable, always on the CPU
  const double* device_step;
  void* param[kMaxOptimTensors];
  const void* grad[kMaxOptimTensors];
  void* exp_avg[kMaxOptimTensors];
  void* exp_avg_sq[kMaxOptimTensors];
  void* max_exp_avg_sq[kMaxOptimTensors];  // null without amsgrad
  std::int64_t numel[kMaxOptimTensors];
};

/// One SGD step: g += weight_decay * p; with momentum: buf = first ? g : mu * buf + (1 - damp) * g,
/// g = nesterov ? g + mu * buf : buf; p -= lr * g. momentum_buffer is null without momentum. lr is
/// read from `device_lr`, as AdamArgs says, when that is not null.
struct SgdArgs {
  ScalarType dtype;
  std::int32_t count;
  std::int32_t nesterov, maximize;
  double lr, momentum, dampening, weight_decay;
  const double* device_lr;
  void* param[kMaxOptimTensors];
  const void* grad[kMaxOptimTensors];
  void* momentum_buffer[kMaxOptimTensors];
  std::int32_t first[kMaxOptimTensors];
  std::int64_t numel[kMaxOptimTensors];
};

/// Whether a call only moves, casts or writes elements, which is done in every dtype; all others
/// compute, which is done in those of compute_dtypes.def.
template <class Args>
constexpr bool moves_only(const Args&) {
  return false;
}
constexpr bool moves_only(const CopyArgs&) { return true; }
constexpr bool moves_only(const FillArgs&) { return true; }
constexpr bool moves_only(const IndexArgs& args) {
  return args.op == IndexOp::kSelect || args.op == IndexOp::kGather;
}

}  // namespace tern::kernels
