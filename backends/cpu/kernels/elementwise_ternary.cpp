#include <tern/backends/cpu/kernels/loop_table.h>

namespace tern::cpu {

constexpr LoopTable<3> kTernaryLoops =
    make_table<3>([](const kernels::ElementwiseInfo&) { return true; });

}  // namespace tern::cpu
