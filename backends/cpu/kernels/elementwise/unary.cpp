#include <tern/backends/cpu/kernels/support/loop_table.h>

namespace tern::cpu {

constexpr LoopTable<LoopFamily::kUnary> kUnaryLoops = make_table<LoopFamily::kUnary>();

}  // namespace tern::cpu
