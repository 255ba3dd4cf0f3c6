#include <tern/backends/cpu/kernels/loop_table.h>

namespace tern::cpu {

constexpr LoopTable<LoopFamily::kTernary> kTernaryLoops = make_table<LoopFamily::kTernary>();

}  // namespace tern::cpu
