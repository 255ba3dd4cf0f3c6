#include <tern/backends/sim/kernels/kernels.h>
#include <tern/backends/sim/kernels/number.h>

namespace tern::sim {
namespace {

template <class T>
void apply(const CumsumArgs& args) {
  for (std::int64_t o = 0; o < args.outer; ++o) {
    for (std::int64_t i = 0; i < args.inner; ++i) {
      Wide<T> sum = 0;
      for (std::int64_t j = 0; j < args.size; ++j) {
        const std::int64_t row = args.reverse != 0 ? args.size - 1 - j : j;
        const std::int64_t at = (o * args.size + row) * args.inner + i;
        const Wide<T> element = static_cast<const T*>(args.in)[at];
        sum = plus(sum, element);
        static_cast<T*>(args.out)[at] = narrow<T>(sum);
      }
    }
  }
}

bool supports(const CumsumArgs& args) { return args.dtype != kBool; }

void cumsum(const CumsumArgs& args, KernelContext&) {
  visit_dtype(args.dtype, [&](auto tag) { apply<typename decltype(tag)::type>(args); });
}

}  // namespace

void register_scan(OracleTable& table) { set<CumsumArgs, supports, cumsum>(table); }

}  // namespace tern::sim
