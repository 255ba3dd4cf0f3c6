// Compiled for size.

#include <tern/backends/cpu/kernels/support/loop_table.h>

namespace tern::cpu {

constexpr LoopTable<LoopFamily::kCompare> kCompareLoops = make_table<LoopFamily::kCompare>();

}  // namespace tern::cpu
