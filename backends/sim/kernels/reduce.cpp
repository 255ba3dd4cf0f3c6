#include <cmath>
#include <optional>
#include <type_traits>

#include <tern/backends/sim/kernels/kernels.h>
#include <tern/backends/sim/kernels/number.h>
#include <tern/backends/sim/kernels/odometer.h>

namespace tern::sim {
namespace {

bool is_nan(double value) { return std::isnan(value); }
bool is_nan(std::int64_t) { return false; }

template <class T>
struct Reduction {
  Wide<T> sum = 0, product = 1;
  bool any = false, all = true;
  // The first extreme and where it is; the first NaN beats all numbers.
  std::optional<Wide<T>> extreme;
  std::int64_t position = 0;

  void take(Wide<T> value, std::int64_t at, bool largest) {
    sum = plus(sum, value);
    product = times(product, value);
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

template <class T>
void apply(const ReduceArgs& args) {
  const bool largest = args.op == ReduceOp::kAmax || args.op == ReduceOp::kArgmax;
  for (Odometer kept(args.kept_ndim, args.kept_sizes); !kept.done(); kept.next()) {
    const T* in = static_cast<const T*>(args.in) + kept.offset(args.kept_in_strides);
    const std::int64_t place = kept.offset(args.kept_out_strides);
    Reduction<T> result;
    std::int64_t position = 0;
    for (Odometer at(args.reduced_ndim, args.reduced_sizes); !at.done(); at.next()) {
      result.take(in[at.offset(args.reduced_in_strides)], position++, largest);
    }
    T* out = static_cast<T*>(args.out);
    switch (args.op) {
      case ReduceOp::kSum:
        if constexpr (std::is_floating_point_v<T>) result.sum *= args.scale;
        out[place] = narrow<T>(result.sum);
        break;
      case ReduceOp::kProd:
        out[place] = narrow<T>(result.product);
        break;
      case ReduceOp::kAmax:
      case ReduceOp::kAmin:
        out[place] = narrow<T>(*result.extreme);
        break;
      case ReduceOp::kAny:
        static_cast<bool*>(args.out)[place] = result.any;
        break;
      case ReduceOp::kAll:
        static_cast<bool*>(args.out)[place] = result.all;
        break;
      case ReduceOp::kArgmax:
      case ReduceOp::kArgmin:
        static_cast<std::int64_t*>(args.out)[place] = result.position;
        if (args.values != nullptr) {
          static_cast<T*>(args.values)[place] = narrow<T>(*result.extreme);
        }
        break;
    }
  }
}

bool supports(const ReduceArgs& args) {
  const bool arithmetic = args.op == ReduceOp::kSum || args.op == ReduceOp::kProd;
  return !arithmetic || args.in_dtype != kBool;
}

void reduce(const ReduceArgs& args, KernelContext&) {
  visit_compute_dtype(args.in_dtype, [&](auto tag) { apply<typename decltype(tag)::type>(args); });
}

}  // namespace

void register_reduce(OracleTable& table) { set<ReduceArgs, supports, reduce>(table); }

}  // namespace tern::sim
