#pragma once

#include <tern/nn/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/dropout.h>

namespace tern::nn {

/// In training, zeroes each element with probability p and divides the others by 1 - p; else
/// returns its input. Throws Error when p lies outside [0, 1].
class TERN_API DropoutImpl : public Cloneable<DropoutImpl> {
 public:
  explicit DropoutImpl(const DropoutOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input);

  DropoutOptions options;
};
TERN_MODULE(Dropout);

}  // namespace tern::nn
