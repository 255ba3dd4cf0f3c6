#include <cmath>
#include <optional>
#include <type_traits>

#include <tern/backends/sim/kernels/kernels.h>
#include <tern/backends/sim/kernels/number.h>
#include <tern/core/kernels/stride_walker.h>

namespace tern::sim {
namespace {

bool is_nan(double value) { return std::isnan(value); }
bool is_nan(std::int64_t) { return false; }

template <class T>
struct Reduction {
  Longest<T> sum = 0, nan_sum = 0, product = 1, squares = 0;
  std::int64_t count = 0;
  bool any = false, all = true;
  // The first extreme element and its position. The first NaN beats all numbers.
  std::optional<Wide<T>> extreme;
  std::int64_t position = 0;

  void take(Wide<T> value, std::int64_t at, bool largest) {
    sum = plus(sum, Longest<T>{value});
    if (!is_nan(value)) nan_sum = plus(nan_sum, Longest<T>{value});
    count += value != 0 ? 1 : 0;
    product = times(product, Longest<T>{value});
    squares = plus(squares, times(Longest<T>{value}, Longest<T>{value}));
    any = any || value != 0;
    all = all && value != 0;
    const bool better = !extreme.has_value() || (!is_nan(*extreme) && is_nan(value)) ||
                        (largest ? value > *extreme : value < *extreme);
    if (better) {
      extreme = value;
      position = at;
    }
  }
};

// The elements of sums and products: int64 for integers.
template <class T>
using Total = std::conditional_t<is_floating_point(dtype_of<T>()), T, std::int64_t>;

template <class T>
void apply(const ReduceArgs& args) {
  const bool largest = args.op == ReduceOp::kAmax || args.op == ReduceOp::kArgmax;
  CountedWalker<2> kept(args.kept_ndim, args.kept_sizes,
                        {args.kept_in_strides, args.kept_out_strides});
  for (; !kept.done(); kept.next()) {
    const T* in = static_cast<const T*>(args.in) + kept.offset(0);
    const std::int64_t index = kept.offset(1);
    Reduction<T> result;
    std::int64_t position = 0;
    CountedWalker<1> at(args.reduced_ndim, args.reduced_sizes, {args.reduced_in_strides});
    for (; !at.done(); at.next()) result.take(in[at.offset(0)], position++, largest);
    T* out = static_cast<T*>(args.out);
    switch (args.op) {
      case ReduceOp::kSum:
        if constexpr (is_floating_point(dtype_of<T>())) result.sum *= args.scale;
        static_cast<Total<T>*>(args.out)[index] = static_cast<Total<T>>(result.sum);
        break;
      case ReduceOp::kNanSum:
        if constexpr (is_floating_point(dtype_of<T>())) {
          out[index] = static_cast<T>(result.nan_sum * args.scale);
        }
        break;
      case ReduceOp::kCount:
        static_cast<std::int64_t*>(args.out)[index] = result.count;
        break;
      case ReduceOp::kProd:
        static_cast<Total<T>*>(args.out)[index] = static_cast<Total<T>>(result.product);
        break;
      case ReduceOp::kAmax:
      case ReduceOp::kAmin:
        out[index] = narrow<T>(*result.extreme);
        break;
      case ReduceOp::kAny:
        static_cast<bool*>(args.out)[index] = result.any;
        break;
      case ReduceOp::kAll:
        static_cast<bool*>(args.out)[index] = result.all;
        break;
      case ReduceOp::kArgmax:
      case ReduceOp::kArgmin:
        static_cast<std::int64_t*>(args.out)[index] = result.position;
        if (args.values != nullptr) {
          static_cast<T*>(args.values)[index] = narrow<T>(*result.extreme);
        }
        break;
      case ReduceOp::kNorm:
        if constexpr (is_floating_point(dtype_of<T>())) {
          out[index] = static_cast<T>(std::sqrt(result.squares) * args.scale);
        }
        break;
    }
  }
}

bool supports(const ReduceArgs& args) {
  const bool is_floating = args.op == ReduceOp::kNorm || args.op == ReduceOp::kNanSum;
  return !is_floating || is_floating_point(args.in_dtype);
}

void reduce(const ReduceArgs& args, KernelContext&) {
  visit_dtype(args.in_dtype, [&](auto tag) { apply<typename decltype(tag)::type>(args); });
}

}  // namespace

void register_reduce(OracleTable& table) { set<ReduceArgs, supports, reduce>(table); }

}  // namespace tern::sim
