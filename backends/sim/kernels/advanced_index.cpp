#include <cstdint>

#include <tern/backends/sim/kernels/kernels.h>
#include <tern/backends/sim/kernels/number.h>
#include <tern/core/kernels/families/advanced_index.h>
#include <tern/core/kernels/late_error.h>

namespace tern::sim {
namespace {

bool check_all_indices(const AdvancedIndexArgs& args, KernelContext& context) {
  for (std::int32_t d = 0; d < args.indexed; ++d) {
    for (std::int64_t k = 0; k < args.count; ++k) {
      const std::int64_t value = args.index[d * args.count + k], size = args.sizes[d];
      if (value < size && value >= (args.wraps != 0 ? -size : 0)) continue;
      context.status = StatusCode::kIndexOutOfRange;
      context.dim = args.dims[d];
      context.detail = value;
      context.limit = size;
      write_late_index_error(context.message, sizeof(context.message), args.op, value, size,
                             context.device);
      return false;
    }
  }
  return true;
}

template <class T>
void run_advanced(const AdvancedIndexArgs& args) {
  const auto in = static_cast<const T*>(args.in);
  const auto out = static_cast<T*>(args.out);
  for (std::int64_t o = 0; o < args.outer; ++o) {
    for (std::int64_t k = 0; k < args.count; ++k) {
      for (std::int64_t i = 0; i < args.inner; ++i) {
        std::int64_t there = o * args.outer_stride + i * args.inner_stride;
        for (std::int32_t d = 0; d < args.indexed; ++d) {
          const std::int64_t value = args.index[d * args.count + k];
          there += (value < 0 ? value + args.sizes[d] : value) * args.strides[d];
        }
        const std::int64_t here = args.one_value != 0 ? 0 : (o * args.count + k) * args.inner + i;
        if (args.action == IndexAction::kGet) {
          out[here] = in[there];
        } else if (args.action == IndexAction::kPut) {
          out[there] = in[here];
        } else {
          out[there] = narrow<T>(plus(Wide<T>{out[there]}, Wide<T>{in[here]}));
        }
      }
    }
  }
}

bool supports(const AdvancedIndexArgs& args) {
  const bool is_narrow_float = args.dtype == kHalf || args.dtype == kBFloat16;
  return args.action != IndexAction::kAccumulate || !is_narrow_float;
}

void advanced_index(const AdvancedIndexArgs& args, KernelContext& context) {
  if (!check_all_indices(args, context)) return;
  visit_dtype(args.dtype, [&](auto tag) { run_advanced<typename decltype(tag)::type>(args); });
}

}  // namespace

void register_advanced_index(OracleTable& table) {
  set<AdvancedIndexArgs, supports, advanced_index>(table);
}

}  // namespace tern::sim
