#include <tern/core/ops/creation.h>
#include <tern/core/ops/detail/op.h>
#include <tern/core/ops/loss.h>
#include <tern/nn/functional/dropout.h>

namespace tern::nn::functional {

Tensor dropout(Tensor input, const DropoutFuncOptions& options) {
  TERN_OP("dropout", input);
  TERN_CHECK(options.p() >= 0 && options.p() <= 1, Error,
             "dropout probability has to be between 0 and 1, but got ", options.p());
  if (!options.inplace()) return tern::dropout(input, options.p(), options.training());
  return input.mul_(tern::dropout(ones_like(input), options.p(), options.training()));
}

}  // namespace tern::nn::functional
