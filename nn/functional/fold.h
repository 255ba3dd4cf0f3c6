#pragma once

#include <tern/core/ops/nn/columns.h>
#include <tern/nn/options/fold.h>

namespace tern::nn::functional {

/// Sums blocks into an image; see tern::col2im().
inline Tensor fold(const Tensor& input, const FoldFuncOptions& options) {
  return col2im(input, options.output_size(), options.kernel_size(), options.dilation(),
                options.padding(), options.stride());
}
/// Returns the blocks of an image as columns; see tern::im2col().
inline Tensor unfold(const Tensor& input, const UnfoldFuncOptions& options) {
  return im2col(input, options.kernel_size(), options.dilation(), options.padding(),
                options.stride());
}

}  // namespace tern::nn::functional
