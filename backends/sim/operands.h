#pragma once

#include <cstdint>
#include <vector>

#include <tern/core/kernels/args.h>

namespace tern::sim {

/// One pointer in the arguments of a kernel and the bytes, counted from it, that the kernel may
/// touch: [first, last).
struct Operand {
  const char* name;
  void* place;          // where in the arguments the pointer stands
  const void* pointer;  // what stands there
  std::int64_t first, last;
};

/// The operands of a call; those that are null or touch nothing are left out.
using Operands = std::vector<Operand>;

Operands operands(kernels::ElementwiseArgs& args);
Operands operands(kernels::CopyArgs& args);
Operands operands(kernels::FillArgs& args);
Operands operands(kernels::ArangeArgs& args);
Operands operands(kernels::ReduceArgs& args);
Operands operands(kernels::GemmArgs& args);
Operands operands(kernels::SoftmaxArgs& args);
Operands operands(kernels::LayerNormArgs& args);
Operands operands(kernels::BatchNormArgs& args);
Operands operands(kernels::IndexArgs& args);
Operands operands(kernels::RequireArgs& args);
Operands operands(kernels::RandomArgs& args);
Operands operands(kernels::AdamArgs& args);
Operands operands(kernels::SgdArgs& args);

}  // namespace tern::sim
