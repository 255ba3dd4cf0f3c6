#include <tern/backends/sim/kernels/kernels.h>
#include <tern/core/kernels/late_error.h>

namespace tern::sim {
namespace {

bool supports(const RequireArgs&) { return true; }

void require(const RequireArgs& args, KernelContext& context) {
  visit_dtype(args.dtype, [&](auto tag) {
    const auto values = static_cast<const typename decltype(tag)::type*>(args.values);
    for (std::int64_t i = 0; i < args.count; ++i) {
      if (keeps_rule(args.op, values[i])) continue;
      context.status = StatusCode::kInvalidValue;
      write_late_value_error(context.message, sizeof(context.message), args.op, context.device);
      return;
    }
  });
}

}  // namespace

void register_require(OracleTable& table) { set<RequireArgs, supports, require>(table); }

}  // namespace tern::sim
