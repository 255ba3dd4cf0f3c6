#pragma once

#include <tern/nn/module/pool_layer.h>

// How a layer calls what its source file declares for its options, in the namespace tern::nn:
//
//   Tensor pool(const Tensor& input, const Options& options);
//   std::tuple<Tensor, Tensor> pool_with_indices(const Tensor& input, const Options& options);
//   void print_pool(std::ostream& stream, const Options& options);

namespace tern::nn::detail {

template <class Derived, class Options>
void PoolLayer<Derived, Options>::pretty_print(std::ostream& stream) const {
  print_pool(stream, options);
}

template <class Derived, class Options>
Tensor PoolLayer<Derived, Options>::forward(const Tensor& input) {
  return pool(input, options);
}

template <class Derived, class Options>
std::tuple<Tensor, Tensor> IndexedPoolLayer<Derived, Options>::forward_with_indices(
    const Tensor& input) {
  return pool_with_indices(input, this->options);
}

}  // namespace tern::nn::detail
