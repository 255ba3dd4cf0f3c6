#include <tern/backends/cpu/kernels/support/loop_table.h>

namespace tern::cpu {

constexpr LoopTable<LoopFamily::kFloat> kFloatLoops = make_table<LoopFamily::kFloat>();

}  // namespace tern::cpu
