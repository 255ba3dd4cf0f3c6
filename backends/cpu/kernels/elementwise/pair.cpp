// Compiled for size.

#include <tern/backends/cpu/kernels/support/loop_table.h>

namespace tern::cpu {

constexpr LoopTable<LoopFamily::kPair> kPairLoops = make_table<LoopFamily::kPair>();

}  // namespace tern::cpu
