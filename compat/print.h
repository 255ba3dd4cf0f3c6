#pragma once

#include <cstdint>
#include <ostream>

#include <tern/core/tensor/tensor.h>

namespace tern::compat {

/// Writes a tensor in libtorch's form: the values, then `[ CPUFloatType{2,2} ]`. Matrices wider
/// than `linesize` are divided into blocks of columns.
TERN_API void print(std::ostream& out, const Tensor& tensor, std::int64_t linesize = 80);

/// Makes operator<< of tensors and modules print as libtorch does, in the whole program. Including
/// <torch/torch.h> calls this function. Returns true, for use in an initialiser.
TERN_API bool use_libtorch_printing();

/// Makes modules and optimizers follow libtorch where it differs from Python, in the whole program:
/// apply() visits parents first, modules and parameters that are registered twice are listed twice.
/// Including <torch/torch.h> calls this function. Returns true, for use in an initialiser.
TERN_API bool follow_libtorch();

}  // namespace tern::compat
