#pragma once

#include <tern/core/kernels/families/pooling.h>
#include <tern/core/tensor/tensor.h>

// What the pooling ops share.

namespace tern::detail {

/// The windows of a pooling op on an input [N, C, ...] or [C, ...].
struct Pooling {
  int dims;                   // of the windows: 1, 2 or 3
  kernels::PoolingArgs args;  // without op, dtype and pointers
  DimVector in_sizes, out_sizes;
  MemoryFormat format;  // of input and result

  /// Takes the input and windows without padding that cover it; the caller changes them, and then
  /// calls set_out_sizes().
  Pooling(const Tensor& input, int dims_);
  void set_out_sizes();
  /// Returns the first entry of a list of the arguments that stands for a dimension of the windows.
  std::int64_t* last(std::int64_t (&list)[3]) const { return list + 3 - dims; }
};

/// The arguments of an op with windows of a fixed size.
struct PoolCall {
  const char* kernel;  // PyTorch's name
  int dims;
  bool is_max;
  IntArrayRef kernel_size, stride, padding, dilation;
  bool ceil_mode;
};

/// Returns the windows of such an op. Throws ShapeError where its numbers do not fit.
Pooling regular_pooling(const PoolCall& call, const Tensor& input);

/// Returns the windows of an adaptive op: regular ones if the sizes allow that.
Pooling adaptive_pooling(const Tensor& input, int dims, IntArrayRef output_size);

/// Returns the largest elements of the windows and their positions in the plane, which may be
/// undefined if `with_indices` is false. `starts` are those of PoolingArgs.
std::tuple<Tensor, Tensor> max_pooled(const char* node, const Pooling& pool, const Tensor& input,
                                      bool with_indices, const Tensor& starts = {});

/// Returns the averages of the windows.
Tensor average_pooled(const char* node, const Pooling& pool, const Tensor& input);

/// Returns zeros of `sizes`, in this format, with the values [N, C, ...] at positions of the last
/// `dims` dimensions. Values at the same position are added.
Tensor placed(const Tensor& values, const Tensor& indices, const DimVector& sizes, int dims,
              MemoryFormat format);

/// Throws NotImplementedError, with PyTorch's name of a kernel, for dtypes that are not floating;
/// int64 may be allowed.
void check_pooling_dtype(const char* kernel, const Tensor& input, bool takes_long = false);

/// Throws ShapeError unless all dimensions but that of the batch have elements; those before
/// `first` may be empty.
void check_pooling_elements(const Tensor& input, std::size_t first);

}  // namespace tern::detail
