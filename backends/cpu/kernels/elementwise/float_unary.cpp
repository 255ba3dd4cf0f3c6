#include <tern/backends/cpu/kernels/support/loop_table.h>

namespace tern::cpu {

constexpr LoopTable<LoopFamily::kFloatUnary> kFloatUnaryLoops =
    make_table<LoopFamily::kFloatUnary>();

}  // namespace tern::cpu
