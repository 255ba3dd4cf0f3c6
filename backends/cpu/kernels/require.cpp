#include <cstdio>
#include <cstring>

#include <tern/backends/cpu/kernels/kernels.h>
#include <tern/core/kernels/late_error.h>

namespace tern::cpu {

void require(const kernels::RequireArgs& args, kernels::KernelContext& context) {
  if (std::memchr(args.holds, 0, static_cast<std::size_t>(args.count)) == nullptr) return;
  context.status = kernels::StatusCode::kInvalidValue;
  std::snprintf(context.message, sizeof(context.message), "%s", kernels::broken_rule(args.op));
}

}  // namespace tern::cpu
