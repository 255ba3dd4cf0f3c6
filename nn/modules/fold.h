#pragma once

#include <tern/core/ops/nn/columns.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
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

}  // namespace functional

/// Sums blocks, as Unfold returns them, into an image. Elements of several blocks are added, so
/// that Fold is the adjoint of Unfold, and not its inverse.
///
/// Shape: [N, C * kernel_size[0] * kernel_size[1], blocks] -> [N, C, output_size], or both without
/// N
class TERN_API FoldImpl : public Cloneable<FoldImpl> {
 public:
  /// Makes the module.
  FoldImpl(ExpandingArray<2> output_size, ExpandingArray<2> kernel_size);
  explicit FoldImpl(const FoldOptions& options_);
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  /// Returns the image. Throws ShapeError unless the input holds all blocks of such an image.
  Tensor forward(const Tensor& input);

  /// The options given to the constructor.
  FoldOptions options;
};
TERN_MODULE(Fold);

/// Returns the blocks of an image as columns: a convolution is a product with these columns.
///
/// Shape: [N, C, H, W] -> [N, C * kernel_size[0] * kernel_size[1], blocks], or both without N
///
/// Example:
///   nn::Unfold(2)(ones({1, 3, 4, 5})).sizes();  // [1, 12, 12]
class TERN_API UnfoldImpl : public Cloneable<UnfoldImpl> {
 public:
  /// Makes the module.
  UnfoldImpl(ExpandingArray<2> kernel_size);
  explicit UnfoldImpl(const UnfoldOptions& options_);
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  /// Returns the columns. Throws ShapeError for an image that is smaller than a block.
  Tensor forward(const Tensor& input);

  /// The options given to the constructor.
  UnfoldOptions options;
};
TERN_MODULE(Unfold);

}  // namespace tern::nn
