#include <tern/backends/sim/operands.h>

#include <algorithm>
#include <initializer_list>

#include <tern/core/kernels/elementwise.h>

namespace tern::sim {
namespace {

using namespace kernels;

// One dimension: how many places, and how many elements apart.
struct Dim {
  std::int64_t size, stride;
};
using Dims = std::vector<Dim>;

Dims dims(std::int32_t ndim, const std::int64_t* sizes, const std::int64_t* strides) {
  Dims result;
  for (std::int32_t d = 0; d < ndim; ++d) result.push_back({sizes[d], strides[d]});
  return result;
}

Dims contiguous(std::int64_t count) { return {{count, 1}}; }

template <class Pointer>
void add(Operands& list, const char* name, Pointer& pointer, ScalarType dtype, const Dims& shape) {
  if (pointer == nullptr) return;
  std::int64_t lowest = 0, highest = 0;
  for (const Dim& dim : shape) {
    if (dim.size == 0) return;
    const std::int64_t reach = (dim.size - 1) * dim.stride;
    lowest += std::min<std::int64_t>(reach, 0);
    highest += std::max<std::int64_t>(reach, 0);
  }
  const auto size = static_cast<std::int64_t>(element_size(dtype));
  list.push_back({name, &pointer, pointer, lowest * size, (highest + 1) * size});
}

Dims joined(Dims a, const Dims& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

Operands operands(ElementwiseArgs& args) {
  static constexpr const char* kNames[] = {"input 0", "input 1", "input 2"};
  const bool compares = elementwise_info(args.op).kind == ElementwiseKind::kCompare;
  Operands list;
  add(list, "the output", args.out, compares ? kBool : args.dtype,
      dims(args.ndim, args.sizes, args.out_strides));
  for (std::int32_t i = 0; i < args.inputs; ++i) {
    const bool condition = args.op == ElementwiseOp::where_op && i == 0;
    add(list, kNames[i], args.in[i], condition ? kBool : args.dtype,
        dims(args.ndim, args.sizes, args.in_strides[i]));
  }
  return list;
}

Operands operands(CopyArgs& args) {
  Operands list;
  add(list, "the output", args.out, args.out_dtype, dims(args.ndim, args.sizes, args.out_strides));
  add(list, "the input", args.in, args.in_dtype, dims(args.ndim, args.sizes, args.in_strides));
  return list;
}

Operands operands(FillArgs& args) {
  Operands list;
  View& out = args.out;
  add(list, "the output", out.data, out.dtype, dims(out.ndim, out.sizes, out.strides));
  return list;
}

Operands operands(ArangeArgs& args) {
  Operands list;
  add(list, "the output", args.out, args.dtype, contiguous(args.count));
  return list;
}

Operands operands(ReduceArgs& args) {
  Operands list;
  add(list, "the input", args.in, args.in_dtype,
      joined(dims(args.kept_ndim, args.kept_sizes, args.kept_in_strides),
             dims(args.reduced_ndim, args.reduced_sizes, args.reduced_in_strides)));
  const Dims kept = dims(args.kept_ndim, args.kept_sizes, args.kept_out_strides);
  add(list, "the output", args.out, args.out_dtype, kept);
  add(list, "the values", args.values, args.in_dtype, kept);
  return list;
}

Operands operands(GemmArgs& args) {
  Operands list;
  add(list, "a", args.a, args.dtype,
      {{args.batch, args.a_batch_stride},
       {args.m, args.a_row_stride},
       {args.k, args.a_col_stride}});
  add(list, "b", args.b, args.dtype,
      {{args.batch, args.b_batch_stride},
       {args.k, args.b_row_stride},
       {args.n, args.b_col_stride}});
  add(list, "c", args.c, args.dtype,
      {{args.batch, args.c_batch_stride}, {args.m, args.c_row_stride}, {args.n, 1}});
  add(list, "the bias", args.bias, args.dtype, {{args.n, args.bias_stride}});
  return list;
}

Operands operands(SoftmaxArgs& args) {
  const Dims shape = contiguous(args.outer * args.size * args.inner);
  Operands list;
  add(list, "the input", args.in, args.dtype, shape);
  add(list, "the gradient", args.grad, args.dtype, shape);
  add(list, "the output", args.out, args.dtype, shape);
  return list;
}

namespace {

/// What layer norm and batch norm have in common: `count` elements, `features` weights, `groups`
/// means, and `spread` with a name of its own.
template <class Args>
Operands normalize_operands(Args& args, std::int64_t count, std::int64_t features,
                            std::int64_t groups, const char* spread_name, double*& spread) {
  const Dims all = contiguous(count), feature = contiguous(features), group = contiguous(groups);
  Operands list;
  add(list, "the input", args.in, args.dtype, all);
  add(list, "the weight", args.weight, args.dtype, feature);
  add(list, "the bias", args.bias, args.dtype, feature);
  add(list, "the output", args.out, args.dtype, all);
  add(list, "the means", args.mean, kDouble, group);
  add(list, spread_name, spread, kDouble, group);
  add(list, "the gradient", args.grad, args.dtype, all);
  add(list, "the input's gradient", args.grad_in, args.dtype, all);
  add(list, "the weight's gradient", args.grad_weight, args.dtype, feature);
  add(list, "the bias's gradient", args.grad_bias, args.dtype, feature);
  return list;
}

}  // namespace

Operands operands(LayerNormArgs& args) {
  return normalize_operands(args, args.rows * args.size, args.size, args.rows,
                            "the reciprocal deviations", args.rstd);
}

Operands operands(BatchNormArgs& args) {
  return normalize_operands(args, args.outer * args.channels * args.inner, args.channels,
                            args.channels, "the variances", args.variance);
}

Operands operands(IndexArgs& args) {
  const bool reads = args.op == IndexOp::kSelect || args.op == IndexOp::kGather;
  const bool one_index = args.op == IndexOp::kSelect || args.op == IndexOp::kAdd;
  const std::int64_t places = args.outer * args.inner;
  Operands list;
  add(list, "the input", args.in, args.dtype,
      contiguous(places * (reads ? args.in_size : args.count)));
  add(list, "the index", args.index, kLong,
      contiguous(one_index ? args.count : places * args.count));
  add(list, "the output", args.out, args.dtype,
      contiguous(places * (reads ? args.count : args.out_size)));
  return list;
}

Operands operands(RequireArgs& args) {
  Operands list;
  add(list, "the values", args.values, args.dtype, contiguous(args.count));
  return list;
}

Operands operands(RandomArgs& args) {
  Operands list;
  add(list, "the output", args.out, args.dtype, contiguous(args.count));
  add(list, "seed and offset", args.philox, kLong, contiguous(2));
  return list;
}

Operands operands(AdamArgs& args) {
  Operands list;
  add(list, "the learning rate", args.device_lr, kDouble, contiguous(1));
  add(list, "the step", args.device_step, kDouble, contiguous(1));
  for (std::int32_t i = 0; i < args.count; ++i) {
    const Dims shape = contiguous(args.numel[i]);
    add(list, "a parameter", args.param[i], args.dtype, shape);
    add(list, "a gradient", args.grad[i], args.dtype, shape);
    add(list, "exp_avg", args.exp_avg[i], args.dtype, shape);
    add(list, "exp_avg_sq", args.exp_avg_sq[i], args.dtype, shape);
    if (args.amsgrad != 0) {
      add(list, "max_exp_avg_sq", args.max_exp_avg_sq[i], args.dtype, shape);
    }
  }
  return list;
}

Operands operands(SgdArgs& args) {
  Operands list;
  add(list, "the learning rate", args.device_lr, kDouble, contiguous(1));
  for (std::int32_t i = 0; i < args.count; ++i) {
    const Dims shape = contiguous(args.numel[i]);
    add(list, "a parameter", args.param[i], args.dtype, shape);
    add(list, "a gradient", args.grad[i], args.dtype, shape);
    if (args.momentum != 0) {
      add(list, "a momentum buffer", args.momentum_buffer[i], args.dtype, shape);
    }
  }
  return list;
}

}  // namespace tern::sim
