#include <tern/backends/cpu/kernels/loops.h>

namespace tern::cpu {

constexpr LoopTable kCompareLoops = make_table([](const kernels::ElementwiseInfo& info) {
  using enum kernels::ElementwiseKind;
  return info.inputs == 2 && info.kind == kCompare;
});

}  // namespace tern::cpu
