#include <tern/backends/cpu/kernels/loops.h>

namespace tern::cpu {

constexpr LoopTable kFloatLoops = make_table([](const kernels::ElementwiseInfo& info) {
  using enum kernels::ElementwiseKind;
  return info.inputs == 1 && info.kind == kFloat;
});

}  // namespace tern::cpu
