#include <tern/backends/sim/kernels/kernels.h>
#include <tern/backends/sim/kernels/number.h>
#include <tern/backends/sim/kernels/special.h>
#include <tern/core/kernels/math/is_nan.h>

namespace tern::sim {
namespace {

// Returns true if `element` replaces the extreme value before it: the last of equal ones stays, and
// the last NaN.
template <class W>
bool replaces(W element, W before, bool largest) {
  if (is_nan(element)) return true;
  if (is_nan(before)) return false;
  return largest ? element >= before : element <= before;
}

template <class T>
void apply(const ScanArgs& args) {
  const auto in = static_cast<const T*>(args.in), factors = static_cast<const T*>(args.factors);
  const auto out = static_cast<T*>(args.out);
  for (std::int64_t row = 0; row < args.outer * args.inner; ++row) {
    Wide<T> result = 0;
    std::int64_t chosen = 0, before = 0;
    for (std::int64_t step = 0; step < args.size; ++step) {
      const std::int64_t j = args.reverse != 0 ? args.size - 1 - step : step;
      const std::int64_t at = (row / args.inner * args.size + j) * args.inner + row % args.inner;
      const Wide<T> element = in[at];
      const bool first = step == 0;
      switch (args.op) {
        case ScanOp::kSum:
          result = first ? element : plus(result, element);
          break;
        case ScanOp::kProd:
          result = first ? element : times(result, element);
          break;
        case ScanOp::kMax:
        case ScanOp::kMin:
          if (first || replaces(element, result, args.op == ScanOp::kMax)) {
            result = element;
            chosen = j;
          }
          args.indices[at] = chosen;
          break;
        case ScanOp::kLogSumExp:
        case ScanOp::kRecurrence:
          if constexpr (is_floating_point(dtype_of<T>())) {
            if (first) {
              result = element;
            } else if (args.op == ScanOp::kLogSumExp) {
              result = log_of_sum(result, element);
            } else {
              result = element + double{factors[args.shifted != 0 ? before : at]} * result;
            }
          }
          break;
      }
      out[at] = narrow<T>(result);
      before = at;
    }
  }
}

bool supports(const ScanArgs& args) { return scans(args.op, args.dtype); }

void scan(const ScanArgs& args, KernelContext&) {
  visit_dtype(args.dtype, [&](auto tag) { apply<typename decltype(tag)::type>(args); });
}

}  // namespace

void register_scan(OracleTable& table) { set<ScanArgs, supports, scan>(table); }

}  // namespace tern::sim
