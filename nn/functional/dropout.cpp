#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/nn/dropout.h>
#include <tern/core/ops/shape/view.h>
#include <tern/nn/functional/dropout.h>

namespace tern::nn::functional {
namespace {

template <class Options, class Drop, class DropInplace>
Tensor dropped(Tensor& input, const Options& options, const Drop& drop,
               const DropInplace& drop_inplace) {
  if (!options.inplace()) return drop(input, options.p(), options.training());
  return drop_inplace(input, options.p(), options.training());
}

// An input without a batch gets a batch of one.
Tensor drop_channels(Tensor& input, const DropoutFuncOptions& options, bool has_batch) {
  if (has_batch) return dropped(input, options, feature_dropout, feature_dropout_);
  Tensor batch = input.unsqueeze(0);
  const Tensor out = dropped(batch, options, feature_dropout, feature_dropout_);
  return options.inplace() ? input : out.squeeze(0);
}

}  // namespace

Tensor dropout(Tensor input, const DropoutFuncOptions& options) {
  TERN_OP("dropout", input);
  return dropped(input, options, tern::dropout, tern::dropout_);
}

Tensor dropout1d(Tensor input, const Dropout1dFuncOptions& options) {
  TERN_OP("dropout1d", input);
  TERN_CHECK(input.dim() == 2 || input.dim() == 3, ShapeError,
             "Expected 2D or 3D input, but received a ", input.dim(), "D input");
  return drop_channels(input, options, input.dim() == 3);
}

Tensor dropout2d(Tensor input, const Dropout2dFuncOptions& options) {
  TERN_OP("dropout2d", input);
  TERN_CHECK(input.dim() == 3 || input.dim() == 4, ShapeError,
             "Expected 3D or 4D input, but received a ", input.dim(), "D input");
  return drop_channels(input, options, true);
}

Tensor dropout3d(Tensor input, const Dropout3dFuncOptions& options) {
  TERN_OP("dropout3d", input);
  TERN_CHECK(input.dim() == 4 || input.dim() == 5, ShapeError,
             "Expected 4D or 5D input, but received a ", input.dim(), "D input");
  return drop_channels(input, options, input.dim() == 5);
}

Tensor alpha_dropout(Tensor input, const AlphaDropoutFuncOptions& options) {
  TERN_OP("alpha_dropout", input);
  return dropped(input, options, tern::alpha_dropout, tern::alpha_dropout_);
}

Tensor feature_alpha_dropout(Tensor input, const FeatureAlphaDropoutFuncOptions& options) {
  TERN_OP("feature_alpha_dropout", input);
  return dropped(input, options, tern::feature_alpha_dropout, tern::feature_alpha_dropout_);
}

}  // namespace tern::nn::functional
