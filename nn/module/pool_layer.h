#pragma once

#include <tuple>
#include <type_traits>

#include <tern/nn/module/cloneable.h>

namespace tern::nn::detail {

/// What the pooling layers have in common. A layer is made from the arguments of its options.
template <class Derived, class Options>
class TERN_API PoolLayer : public Cloneable<Derived> {
 public:
  /// Makes the module.
  explicit PoolLayer(const Options& options_) : options(options_) {}
  template <class... Args>
  requires std::is_constructible_v<Options, const Args&...>
  explicit PoolLayer(const Args&... args) : options(args...) {}
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  /// Returns the reduced windows. Throws ShapeError where the numbers do not fit the input.
  Tensor forward(const Tensor& input);

  /// The options given to the constructor.
  Options options;
};

/// A pooling layer that also knows the positions of its results.
template <class Derived, class Options>
class TERN_API IndexedPoolLayer : public PoolLayer<Derived, Options> {
 public:
  using PoolLayer<Derived, Options>::PoolLayer;
  /// Returns the results of forward() and their positions in the channel, for a MaxUnpool layer.
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);
};

}  // namespace tern::nn::detail
