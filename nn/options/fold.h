#pragma once

#include <tern/nn/options/expanding_array.h>
#include <tern/nn/options/options_arg.h>

namespace tern::nn {

/// Options of Fold. Each has a number for the height and one for the width, or one for both.
struct FoldOptions {
  /// Sets the sizes of the image and of a block.
  FoldOptions(ExpandingArray<2> output_size, ExpandingArray<2> kernel_size)
      : output_size_(output_size), kernel_size_(kernel_size) {}
  /// The size of the image.
  TERN_ARG(ExpandingArray<2>, output_size);
  /// The size of a block.
  TERN_ARG(ExpandingArray<2>, kernel_size);
  /// The distance of neighbouring elements of a block.
  TERN_ARG(ExpandingArray<2>, dilation) = 1;
  /// The number of zeros around the image.
  TERN_ARG(ExpandingArray<2>, padding) = 0;
  /// The distance of neighbouring blocks.
  TERN_ARG(ExpandingArray<2>, stride) = 1;
};

/// Options of Unfold. Each has a number for the height and one for the width, or one for both.
struct UnfoldOptions {
  /// Sets the size of a block.
  UnfoldOptions(ExpandingArray<2> kernel_size) : kernel_size_(kernel_size) {}
  /// The size of a block.
  TERN_ARG(ExpandingArray<2>, kernel_size);
  /// The distance of neighbouring elements of a block.
  TERN_ARG(ExpandingArray<2>, dilation) = 1;
  /// The number of zeros around the image.
  TERN_ARG(ExpandingArray<2>, padding) = 0;
  /// The distance of neighbouring blocks.
  TERN_ARG(ExpandingArray<2>, stride) = 1;
};

namespace functional {
/// Options of the functions; the same as those of the layers.
using FoldFuncOptions = FoldOptions;
using UnfoldFuncOptions = UnfoldOptions;
}  // namespace functional
}  // namespace tern::nn
