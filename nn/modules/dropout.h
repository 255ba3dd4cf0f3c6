#pragma once

#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/dropout.h>

namespace tern::nn {

/// Dropout (Srivastava et al., 2014). In training, sets each element to 0 with probability p and
/// divides the others by 1 - p; in evaluation, returns its input.
class TERN_API DropoutImpl : public Cloneable<DropoutImpl> {
 public:
  /// Makes the module; a bare number is p. Throws Error unless p lies in [0, 1].
  explicit DropoutImpl(const DropoutOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the input with dropped elements, with the input's shape.
  Tensor forward(Tensor input);

  /// The options given to the constructor.
  DropoutOptions options;
};
TERN_MODULE(Dropout);

}  // namespace tern::nn
