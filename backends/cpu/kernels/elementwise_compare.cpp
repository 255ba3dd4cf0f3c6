#include <tern/backends/cpu/kernels/loop_table.h>

namespace tern::cpu {

constexpr LoopTable<2> kCompareLoops = make_table<2>([](const kernels::ElementwiseInfo& info) {
  using enum kernels::ElementwiseKind;
  return info.kind == kCompare;
});

}  // namespace tern::cpu
