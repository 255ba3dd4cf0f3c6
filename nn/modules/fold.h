#pragma once

#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/fold.h>

namespace tern::nn {

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
