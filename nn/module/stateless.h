#pragma once

#include <tern/nn/module/cloneable.h>

namespace tern::nn::detail {

/// The options of a layer that has none.
struct NoOptions {};

/// A layer without tensors of its own.
template <class Derived, class Options = NoOptions>
class Stateless : public Cloneable<Derived> {
 public:
  /// Makes the module.
  explicit Stateless(const Options& options_ = Options()) : options(options_) {}
  void reset() override {}

  /// The options given to the constructor.
  Options options;
};

}  // namespace tern::nn::detail
