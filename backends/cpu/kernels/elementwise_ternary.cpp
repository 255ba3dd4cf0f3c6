#include <tern/backends/cpu/kernels/loops.h>

namespace tern::cpu {

constexpr LoopTable kTernaryLoops = make_table([](const kernels::ElementwiseInfo& info) {
  using enum kernels::ElementwiseKind;
  return info.inputs == 3;
});

}  // namespace tern::cpu
