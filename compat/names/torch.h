#pragma once

#include <cstdint>
#include <iostream>
#include <memory>

#include <tern/compat/names/at.h>
#include <tern/compat/names/autograd.h>
#include <tern/compat/names/context.h>
#include <tern/compat/names/cuda.h>
#include <tern/compat/names/dims.h>
#include <tern/compat/names/for_blob.h>
#include <tern/compat/names/parallel.h>
#include <tern/compat/names/tensor_data.h>
#include <tern/compat/names/variadic.h>
#include <tern/compat/print.h>

namespace torch {
using namespace at;
using std::make_unique;

/// Returns Tensor::is_floating_point().
inline bool is_floating_point(const Tensor& tensor) { return tensor.is_floating_point(); }
/// Changes nothing: one thread pool computes all ops.
inline void set_num_interop_threads(int /*threads*/) {}
/// Changes nothing: the thread pool starts at its first use.
inline void init_num_threads() {}

/// Writes a tensor in libtorch's form. Wide matrices are divided into blocks of `linesize` columns.
inline std::ostream& print(std::ostream& stream, const Tensor& tensor, std::int64_t linesize) {
  ::tern::compat::print(stream, tensor, linesize);
  return stream;
}
/// Does the same on std::cout.
inline void print(const Tensor& tensor, std::int64_t linesize = 80) {
  ::tern::compat::print(std::cout, tensor, linesize);
}
}  // namespace torch
