#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tern/backends/cuda/device/cudnn/recurrent_library.h>

// What the replacement for cuDNN's recurrent layers computes.

namespace tern::emulator {

using namespace cuda::device::cudnn;

/// A layer, its sequences and the elements of a call, all in one dtype.
struct LayerCall {
  CellMode cells;
  bool has_bias, is_double;
  std::int64_t inputs, hidden;
  std::vector<int> lengths;

  const void *x, *first_h, *first_c, *weights;
  void *y, *last_h, *last_c;  // y is read by the gradients
  const void *grad_y, *grad_h, *grad_c;
  void *grad_x, *grad_first_h, *grad_first_c, *grad_weights;
  void* reserve;  // null in inference

  std::int64_t gates() const;
  std::int64_t rows() const;
  std::size_t bytes() const { return is_double ? 8 : 4; }  // of an element
  /// The place of a matrix, or of a bias, in the block of weights: in another order than that of
  /// the parts, with gaps. -1 for a bias that the layer lacks.
  std::int64_t place_of(std::int64_t part, bool is_bias) const;
  std::size_t weight_bytes() const;
  std::size_t workspace_bytes() const;
  std::size_t reserve_bytes() const;
};

/// Each reads and writes the reserve. The gradients need what the call before them left there, byte
/// by byte: first the forward pass, then the gradients of the input, then those of the weights.
void compute_forward(const LayerCall& call);
void compute_gradients(const LayerCall& call);
void compute_weight_gradients(const LayerCall& call);

}  // namespace tern::emulator
