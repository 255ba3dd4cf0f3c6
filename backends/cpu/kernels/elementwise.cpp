#include <algorithm>
#include <cstdio>
#include <cstring>

#include <tern/backends/cpu/kernels/support/dims.h>
#include <tern/backends/cpu/kernels/support/loop_table.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/by_size.h>
#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/kernels/families/require.h>
#include <tern/core/kernels/late_error.h>
#include <tern/core/kernels/stride_walker.h>

namespace tern::cpu {
namespace {

using namespace kernels;

/// Returns the loops of `op` by dtype.
template <ElementwiseOp kOp>
constexpr const auto& row_of() {
  constexpr LoopFamily kFamily = loop_family(elementwise_info(kOp));
  constexpr int kRow = loop_row(kOp);
  if constexpr (kFamily == LoopFamily::kUnary) {
    return kUnaryLoops.rows[kRow];
  } else if constexpr (kFamily == LoopFamily::kFloatUnary) {
    return kFloatUnaryLoops.rows[kRow];
  } else if constexpr (kFamily == LoopFamily::kBinary) {
    return kBinaryLoops.rows[kRow];
  } else if constexpr (kFamily == LoopFamily::kFloatBinary) {
    return kFloatBinaryLoops.rows[kRow];
  } else if constexpr (kFamily == LoopFamily::kCompare) {
    return kCompareLoops.rows[kRow];
  } else {
    return kTernaryLoops.rows[kRow];
  }
}

/// Returns the number of elements that are worth a thread.
constexpr std::int64_t grain_of(ElementwiseCost cost) {
  switch (cost) {
    case ElementwiseCost::kMedium:
      return 8192;
    case ElementwiseCost::kCostly:
      return 2048;
    case ElementwiseCost::kSeries:
      return 256;
    default:
      return 32768;
  }
}

struct OpRow {
  const Loop* loops;
  std::int64_t variants;  // the number of loops of a dtype
  std::int64_t grain;

  const Loop* loops_of(ScalarType dtype) const { return loops + loop_slot(dtype) * variants; }
};
constexpr OpRow kRows[] = {
#define TERN_ELEMENTWISE(name, inputs, kind, cost, accuracy, loops, traits) \
  {row_of<ElementwiseOp::name>()[0].by_numbers, (1 << (inputs)) - 1,        \
   grain_of(ElementwiseCost::cost)},
#include <tern/core/kernels/families/elementwise.def>
};

/// A number argument of the call, stored in the dtype of the loop.
struct Element {
  alignas(8) char bytes[8];

  void store(ScalarType dtype, const Immediate& immediate) {
    visit_dtype(dtype, [&](auto tag) {
      const auto value = immediate_value<typename decltype(tag)::type>(immediate);
      std::memcpy(bytes, &value, sizeof(value));
    });
  }
};

constexpr std::int64_t kNoStrides[kMaxDims] = {};

template <class T>
bool any_zero(const T* p, std::int64_t n, std::int64_t stride) {
  bool found = false;
  if (stride == 1) {
    for (std::int64_t i = 0; i < n; ++i) found |= p[i] == 0;
  } else {
    for (std::int64_t i = 0; i < n; ++i) found |= p[i * stride] == 0;
  }
  return found;
}

/// Returns true if an op on integers of type T would divide by zero. Runs before anything is
/// written.
template <class T>
bool divides_by_zero(const ElementwiseArgs& args) {
  if (args.in[1] == nullptr) return static_cast<T>(args.immediate[1].i) == 0;
  const auto divisors = static_cast<const T*>(args.in[1]);
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
  const bool is_direct = *row.loops_of(args.dtype) != nullptr;
  const ScalarType loop_dtype = is_direct ? args.dtype : math_dtype(args.dtype);
  const Loop* const loops = row.loops_of(loop_dtype);
  if (*loops == nullptr) {
    context.status = StatusCode::kUnsupportedDtype;
    return;
  }
  const bool by_integers = divides(args.op) && !is_floating_point(args.dtype);
  if (by_integers && visit_size(element_size(args.dtype), [&](auto tag) {
        return divides_by_zero<typename decltype(tag)::type>(args);
      })) {
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
    immediates[k].store(is_condition(k) ? kBool : loop_dtype, args.immediate[k]);
    in[k] = &immediates[k];
  }
  unsigned numbers = 0;
  if (is_direct && is_flat(args, inputs, numbers) && loops[numbers] != nullptr) {
    const Loop loop = loops[numbers];
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
  Job job{loops,
          &args.scale,
          inputs,
          args.ndim,
          args.sizes,
          args.out,
          args.out_strides,
          out_size,
          {},
          row.grain,
          compares || is_direct ? nullptr : narrowing_loop(args.dtype)};
  const Loop widen = is_direct ? nullptr : widening_loop(args.dtype);
  const int loop_size = static_cast<int>(element_size(loop_dtype));
  for (int k = 0; k < inputs; ++k) {
    if (args.in[k] == nullptr) {
      job.in[k] = {in[k], kNoStrides, is_condition(k) ? 1 : loop_size};
    } else {
      job.in[k] = {in[k], args.in_strides[k], is_condition(k) ? 1 : size,
                   is_condition(k) ? nullptr : widen};
    }
  }
  run_strided(job);
}

}  // namespace

void register_elementwise(kernels::KernelTable& table) {
  kernels::set<kernels::ElementwiseArgs, elementwise>(table);
}

}  // namespace tern::cpu
