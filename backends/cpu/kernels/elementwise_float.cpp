#include <tern/backends/cpu/kernels/loop_table.h>

namespace tern::cpu {

constexpr LoopTable<1> kFloatLoops = make_table<1>([](const kernels::ElementwiseInfo& info) {
  using enum kernels::ElementwiseKind;
  return info.kind == kFloat;
});

}  // namespace tern::cpu
