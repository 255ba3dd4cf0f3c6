#pragma once

#include <backends/cuda/emulator/cudnn_node.h>

namespace tern::emulator {

/// Checks an operation on matrices when it is finalized: matrix product, pointwise operation,
/// reduction or view.
void check_operation(const CudnnNode& operation);

/// Computes the operations of a graph, one after the other, with the tensors of a pack.
void compute_operations(const std::vector<Descriptor>& operations, const CudnnNode& pack);

}  // namespace tern::emulator
