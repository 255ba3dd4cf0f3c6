#pragma once

#include <tern/core/base/visibility.h>

namespace tern::detail {

/// True in a program that includes torch/torch.h. Where libtorch's C++ and Python differ in a way
/// that such a program sees (names of nodes, texts of errors, the order of modules), tern then does
/// as libtorch.
TERN_API extern bool as_libtorch;

/// Returns the name of the node of an op with a number in place of a tensor: `python` is that of
/// the tensor, as Python makes a tensor of the number.
inline const char* scalar_node(const char* python, const char* cpp) {
  return as_libtorch ? cpp : python;
}

}  // namespace tern::detail
