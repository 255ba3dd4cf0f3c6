// Compiled for size.

#include <tern/backends/cpu/kernels/support/loop_table.h>

namespace tern::cpu {

constexpr LoopTable<LoopFamily::kTernary> kTernaryLoops = make_table<LoopFamily::kTernary>();

}  // namespace tern::cpu
