#pragma once

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <tern/nn/module_holder.h>

namespace tern::nn {

namespace utils {

/// Returns the weight and the bias of a convolution that computes what the given convolution and a
/// BatchNorm behind it compute in evaluation. An undefined bias counts as zeros, an undefined
/// weight of the BatchNorm as ones. A transposed convolution with groups needs their number.
TERN_API std::tuple<Tensor, Tensor> fuse_conv_bn_weights(const Tensor& conv_w, const Tensor& conv_b,
                                                         const Tensor& bn_rm, const Tensor& bn_rv,
                                                         double bn_eps, const Tensor& bn_w,
                                                         const Tensor& bn_b,
                                                         StrictBool transpose = false,
                                                         StrictInt groups = 1);
/// Does the same for a linear layer.
TERN_API std::tuple<Tensor, Tensor> fuse_linear_bn_weights(const Tensor& linear_w,
                                                           const Tensor& linear_b,
                                                           const Tensor& bn_rm, const Tensor& bn_rv,
                                                           double bn_eps, const Tensor& bn_w,
                                                           const Tensor& bn_b);

}  // namespace utils

namespace detail {
/// Changes parameters of the first module so that it computes what both compute.
TERN_API void fuse_into(Module& module, const Module& norm);
}  // namespace detail

namespace utils {

/// Returns a copy of the convolution that computes what the convolution and a BatchNorm behind it
/// compute in evaluation. Throws Error unless both are in evaluation mode, and for a BatchNorm
/// without running statistics or with another number of channels.
///
/// Example:
///   nn::Conv2d fused = nn::utils::fuse_conv_bn_eval(conv, bn);
template <class Conv, class Norm>
Conv fuse_conv_bn_eval(const Conv& conv, const Norm& bn) {
  Conv fused(std::dynamic_pointer_cast<typename Conv::ContainedType>(conv->clone()));
  detail::fuse_into(*fused, *bn);
  return fused;
}
/// Does the same for a Linear and a BatchNorm1d.
template <class Linear, class Norm>
Linear fuse_linear_bn_eval(const Linear& linear, const Norm& bn) {
  return fuse_conv_bn_eval(linear, bn);
}

}  // namespace utils

/// Folds each BatchNorm of a model in evaluation into the convolution or Linear before it, in
/// place, and returns the names of the pairs. The layer gets a bias, and the BatchNorm returns its
/// input from then on, without parameters. Values agree up to rounding.
///
/// A pair is a layer and a BatchNorm that are registered one after the other in the same module,
/// with matching numbers of channels. That is a pair in the model's forward(), too, for Sequential
/// and for the usual order of definition (conv1, bn1, conv2, bn2); for others compare the results.
/// A layer that is registered twice is left alone; a fused layer has new tensors, so that a layer
/// that was tied to it keeps its own. Throws Error, with nothing changed, unless layer
/// and BatchNorm are in evaluation mode.
///
/// Example:
///   net->eval();
///   for (const auto& [layer, norm] : nn::fuse_conv_bn(net)) std::cout << layer << ' ' << norm;
TERN_API std::vector<std::pair<std::string, std::string>> fuse_conv_bn(Module& model);
template <class Contained, class Derived>
std::vector<std::pair<std::string, std::string>> fuse_conv_bn(
    const ModuleHolder<Contained, Derived>& model) {
  return fuse_conv_bn(*model);
}

namespace utils {
using nn::fuse_conv_bn;
}  // namespace utils

}  // namespace tern::nn
