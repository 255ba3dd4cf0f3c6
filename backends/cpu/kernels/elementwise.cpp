#include <algorithm>
#include <cstdio>

#include <tern/backends/cpu/kernels/dims.h>
#include <tern/backends/cpu/kernels/loops.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/kernels/families/require.h>
#include <tern/core/kernels/late_error.h>
#include <tern/core/kernels/stride_walker.h>

namespace tern::cpu {
namespace {

using namespace kernels;

constexpr const LoopTable& table_of(const ElementwiseInfo& info) {
  if (info.inputs == 1) return info.kind == ElementwiseKind::kFloat ? kFloatLoops : kUnaryLoops;
  if (info.inputs == 3) return kTernaryLoops;
  return info.kind == ElementwiseKind::kCompare ? kCompareLoops : kBinaryLoops;
}

/// Returns the number of elements that are worth a thread.
constexpr std::int64_t grain_of(ElementwiseOp op) {
  switch (op) {
    case ElementwiseOp::exp:
    case ElementwiseOp::expm1:
    case ElementwiseOp::log:
    case ElementwiseOp::log1p:
    case ElementwiseOp::tanh:
    case ElementwiseOp::sigmoid:
    case ElementwiseOp::bce:
    case ElementwiseOp::bce_logits:
      return 8192;
    case ElementwiseOp::sin:
    case ElementwiseOp::cos:
    case ElementwiseOp::pow:
    case ElementwiseOp::remainder:
      return 2048;
    default:
      return 32768;
  }
}

struct OpRow {
  const LoopTable* table;
  std::int64_t grain;
};
constexpr OpRow kRows[] = {
#define TERN_ELEMENTWISE(name, inputs, kind) \
  {&table_of({#name, inputs, ElementwiseKind::kind}), grain_of(ElementwiseOp::name)},
#include <tern/core/kernels/families/elementwise.def>
#undef TERN_ELEMENTWISE
};

/// A number argument of the call, stored as an element.
union Element {
#define TERN_DTYPE(name, type, number, file_name, python_name, category) type as_##name;
#include <tern/core/tensor/compute_dtypes.def>
#undef TERN_DTYPE
};

void store(Element& element, ScalarType dtype, const Immediate& immediate) {
  switch (dtype) {
#define TERN_DTYPE(name, type, number, file_name, python_name, category) \
  case ScalarType::name:                                                 \
    element.as_##name = immediate_value<type>(immediate);                \
    break;
#include <tern/core/tensor/compute_dtypes.def>
#undef TERN_DTYPE
    default:
      break;
  }
}

constexpr std::int64_t kNoStrides[kMaxDims] = {};

bool any_zero(const std::int64_t* p, std::int64_t n, std::int64_t stride) {
  bool found = false;
  if (stride == 1) {
    for (std::int64_t i = 0; i < n; ++i) found |= p[i] == 0;
  } else {
    for (std::int64_t i = 0; i < n; ++i) found |= p[i * stride] == 0;
  }
  return found;
}

/// Returns true if an integer remainder would divide by zero. Runs before anything is written.
bool divides_by_zero(const ElementwiseArgs& args) {
  if (args.in[1] == nullptr) return args.immediate[1].i == 0;
  const auto divisors = static_cast<const std::int64_t*>(args.in[1]);
  if (args.ndim == 0) return *divisors == 0;
  std::int64_t sizes[kMaxDims], strides[kMaxDims];
  std::copy_n(args.sizes, args.ndim, sizes);
  std::copy_n(args.in_strides[1], args.ndim, strides);
  sort_dims(args.ndim, sizes, strides);
  const int outer = args.ndim - 1;
  StrideWalker<1> row(outer, sizes, {strides});
  for (std::int64_t i = product(outer, sizes); i > 0; --i, row.next()) {
    if (any_zero(divisors + row.offsets[0], sizes[outer], strides[outer])) return true;
  }
  return false;
}

/// Returns true if one loop over consecutive elements is enough: the output is contiguous, each
/// input is contiguous or a single number (its bit is set in `numbers`), and at least one input is
/// not a single number.
bool is_flat(const ElementwiseArgs& args, int inputs, unsigned& numbers) {
  if (args.ndim == 0) return true;
  if (args.ndim > 1 || args.out_strides[0] != 1) return false;
  for (int k = 0; k < inputs; ++k) {
    const std::int64_t stride = args.in[k] == nullptr ? 0 : args.in_strides[k][0];
    if (stride > 1 || stride < 0) return false;
    if (stride == 0) numbers |= 1U << k;
  }
  return numbers != (1U << inputs) - 1;
}

void elementwise(const ElementwiseArgs& args, KernelContext& context) {
  const OpRow& row = kRows[static_cast<int>(args.op)];
  const LoopSet& loops = row.table->sets[static_cast<int>(args.op)][dtype_slot(args.dtype)];
  if (loops.by_numbers[0] == nullptr) {
    context.status = StatusCode::kUnsupportedDtype;
    return;
  }
  if (args.op == ElementwiseOp::remainder && args.dtype == kLong && divides_by_zero(args)) {
    context.status = StatusCode::kInvalidValue;
    std::snprintf(context.message, sizeof(context.message), "%s", broken_rule(RequireOp::kDivisor));
    return;
  }
  const ElementwiseInfo& info = elementwise_info(args.op);
  const int inputs = info.inputs;
  const bool compares = info.kind == ElementwiseKind::kCompare;
  const int size = static_cast<int>(element_size(args.dtype)), out_size = compares ? 1 : size;
  const auto is_condition = [&](int k) { return k == 0 && args.op == ElementwiseOp::where_op; };
  Element immediates[3];
  const void* in[3];
  for (int k = 0; k < inputs; ++k) {
    in[k] = args.in[k];
    if (in[k] != nullptr) continue;
    store(immediates[k], is_condition(k) ? kBool : args.dtype, args.immediate[k]);
    in[k] = &immediates[k];
  }
  unsigned numbers = 0;
  if (is_flat(args, inputs, numbers)) {
    const Loop loop = loops.by_numbers[numbers];
    const std::int64_t n = args.ndim == 0 ? 1 : args.sizes[0];
    if (n <= row.grain) return loop(args.out, in, n, &args.scale);
    parallel_for(0, n, row.grain, [&](std::int64_t begin, std::int64_t end) {
      const void* from[3];
      for (int k = 0; k < inputs; ++k) {
        const std::int64_t skip = (numbers >> k & 1) != 0 ? 0 : begin;
        from[k] = static_cast<const char*>(in[k]) + skip * (is_condition(k) ? 1 : size);
      }
      loop(static_cast<char*>(args.out) + begin * out_size, from, end - begin, &args.scale);
    });
    return;
  }
  Job job{&loops,   &args.scale,      inputs,   args.ndim, args.sizes,
          args.out, args.out_strides, out_size, {},        row.grain};
  for (int k = 0; k < inputs; ++k) {
    job.in[k] = {in[k], args.in[k] == nullptr ? kNoStrides : args.in_strides[k],
                 is_condition(k) ? 1 : size};
  }
  run_strided(job);
}

}  // namespace

void register_elementwise(kernels::KernelTable& table) {
  kernels::set<kernels::ElementwiseArgs, elementwise>(table);
}

}  // namespace tern::cpu
