#pragma once

#include <cstdint>
#include <ostream>

#include <tern/core/tensor/tensor.h>

namespace tern::compat {

/// Writes a tensor in libtorch's form: the values, then `[ CPUFloatType{2,2} ]`. Matrices wider
/// than `linesize` are divided into blocks of columns.
TERN_API void print(std::ostream& out, const Tensor& tensor, std::int64_t linesize = 80);

/// Makes tern do as libtorch's C++ where Python differs, in the whole program: operator<< of
/// tensors and modules, names of nodes, texts, and the order in which modules are listed and
/// visited. Including <torch/torch.h> calls this function. Returns true, for use in an initialiser.
TERN_API bool follow_libtorch();

}  // namespace tern::compat
