#pragma once

#include <string>

#include "distributed/ranks.h"

// What tests of training on several ranks share.

namespace tern::testing {

using nn::parallel::DistributedDataParallel;
using Options = nn::parallel::DistributedDataParallelOptions;

/// Three layers, and one that a forward may leave out.
struct NetImpl : nn::Cloneable<NetImpl> {
  NetImpl() { reset(); }
  void reset() override {
    first = register_module("first", nn::Linear(6, 8));
    second = register_module("second", nn::Linear(8, 8));
    head = register_module("head", nn::Linear(8, 3));
    spare = register_module("spare", nn::Linear(8, 3));
  }
  Tensor forward(const Tensor& x) {
    const Tensor h = tanh(second(relu(first(x))));
    return uses_spare ? head(h) + spare(h) : head(h);
  }
  bool uses_spare = true;
  nn::Linear first{nullptr}, second{nullptr}, head{nullptr}, spare{nullptr};
};
TERN_MODULE(Net);

/// The generator of this thread's numbers: the default generator is shared by all threads.
inline Tensor numbers(IntArrayRef sizes, std::uint64_t seed, ScalarType dtype = kDouble) {
  Generator generator;
  generator.manual_seed(seed);
  return randn(sizes, generator, TensorOptions().dtype(dtype));
}

/// Returns a net with the numbers of the seed.
template <class Holder = Net>
Holder make_net(std::uint64_t seed, ScalarType dtype = kDouble) {
  Holder net;
  net->to(dtype);
  const NoGradGuard no_grad;
  for (const Tensor& parameter : net->parameters()) {
    parameter.copy_(numbers(parameter.sizes(), seed++, dtype) * 0.3);
  }
  return net;
}

/// This rank's part of a batch.
inline Tensor part_of(const Tensor& batch, const ProcessGroup& group) {
  return batch.chunk(group.size(), 0)[static_cast<std::size_t>(group.rank())];
}

/// Returns the largest absolute difference, 0 for empty tensors.
inline double largest_difference(const Tensor& a, const Tensor& b) {
  return a.numel() == 0 ? 0 : (a - b).abs().max().item<double>();
}

/// Returns the options of a group.
inline Options ddp_options(const ProcessGroup& group) { return Options().process_group(group); }

}  // namespace tern::testing
