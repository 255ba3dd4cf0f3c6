// Compiled for size.

#include <tern/backends/cpu/kernels/support/loop_table.h>

namespace tern::cpu {

constexpr LoopTable<LoopFamily::kFloatBinary> kFloatBinaryLoops =
    make_table<LoopFamily::kFloatBinary>();

}  // namespace tern::cpu
