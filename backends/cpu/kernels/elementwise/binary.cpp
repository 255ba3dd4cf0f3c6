// Compiled for size.

#include <tern/backends/cpu/kernels/support/loop_table.h>

namespace tern::cpu {

constexpr LoopTable<LoopFamily::kBinary> kBinaryLoops = make_table<LoopFamily::kBinary>();

}  // namespace tern::cpu
