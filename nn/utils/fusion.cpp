#include <map>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/detail/module_walk.h>
#include <tern/nn/modules/batch_norm.h>
#include <tern/nn/modules/conv.h>
#include <tern/nn/modules/linear.h>
#include <tern/nn/utils/fusion.h>

// Folding of BatchNorm: y = (w x + b - mean) * s + beta with s = gamma / sqrt(var + eps) for each
// channel is a layer with the weight s * w and the bias (b - mean) * s + beta.

namespace tern::nn {

namespace utils {

std::tuple<Tensor, Tensor> fuse_conv_bn_weights(const Tensor& conv_w, const Tensor& conv_b,
                                                const Tensor& bn_rm, const Tensor& bn_rv,
                                                double bn_eps, const Tensor& bn_w,
                                                const Tensor& bn_b, StrictBool transpose,
                                                StrictInt groups) {
  // Statistics in float64: the fused weight is rounded once.
  Tensor scale = rsqrt(bn_rv.to(kDouble) + bn_eps);
  if (bn_w.defined()) scale = scale * bn_w;
  Tensor bias = (conv_b.defined() ? conv_b - bn_rm.to(kDouble) : -bn_rm.to(kDouble)) * scale;
  if (bn_b.defined()) bias = bias + bn_b;
  // The weight is [outputs, ..], or [groups * inputs, outputs of a group, ..].
  DimVector parts = {1, -1, 1},
            whole = {1, -1, conv_w.numel() / std::max<std::int64_t>(conv_w.size(0), 1)};
  if (transpose) {
    parts = {groups, 1, -1, 1};
    whole = {groups, conv_w.size(0) / groups, conv_w.size(1), -1};
  }
  const Tensor weight = (conv_w.contiguous().view(whole) * scale.view(parts)).view(conv_w.sizes());
  return {weight.to(conv_w.dtype(), false, false, conv_w.suggest_memory_format()),
          bias.to(conv_w.dtype())};
}

std::tuple<Tensor, Tensor> fuse_linear_bn_weights(const Tensor& linear_w, const Tensor& linear_b,
                                                  const Tensor& bn_rm, const Tensor& bn_rv,
                                                  double bn_eps, const Tensor& bn_w,
                                                  const Tensor& bn_b) {
  return fuse_conv_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b);
}

}  // namespace utils

namespace {

/// What a layer that can take a BatchNorm has.
struct FusedLayer {
  Tensor weight, bias;
  std::int64_t channels = 0, dims = 0, groups = 1;  // channels of the result; 0: another module
  bool transposed = false;
};

/// A BatchNorm; options and tensors are null for another module.
struct FoldedNorm {
  const BatchNormOptions* options = nullptr;
  Tensor weight, bias, mean, variance;
  std::int64_t dims = 0;
};

/// Calls fn(layer, dims, transposed) if the module is of this class.
template <class Impl, class M, class Fn>
bool visit_as(M& module, const Fn& fn) {
  auto* const layer =
      dynamic_cast<std::conditional_t<std::is_const_v<M>, const Impl, Impl>*>(&module);
  if (layer != nullptr) fn(*layer);
  return layer != nullptr;
}

template <class M, class Fn>
void visit_layer(M& module, const Fn& fn) {
  const auto with = [&](std::int64_t dims, bool transposed) {
    return [=, &fn](auto& layer) { fn(layer, dims, transposed); };
  };
  static_cast<void>(visit_as<Conv1dImpl>(module, with(1, false)) ||
                    visit_as<Conv2dImpl>(module, with(2, false)) ||
                    visit_as<Conv3dImpl>(module, with(3, false)) ||
                    visit_as<ConvTranspose1dImpl>(module, with(1, true)) ||
                    visit_as<ConvTranspose2dImpl>(module, with(2, true)) ||
                    visit_as<ConvTranspose3dImpl>(module, with(3, true)) ||
                    visit_as<LinearImpl>(module, with(1, false)));
}

template <class M, class Fn>
void visit_norm(M& module, const Fn& fn) {
  static_cast<void>(visit_as<BatchNorm1dImpl>(module, [&](auto& norm) { fn(norm, 1); }) ||
                    visit_as<BatchNorm2dImpl>(module, [&](auto& norm) { fn(norm, 2); }) ||
                    visit_as<BatchNorm3dImpl>(module, [&](auto& norm) { fn(norm, 3); }));
}

FusedLayer layer_of(const Module& module) {
  FusedLayer result;
  visit_layer(module, [&](const auto& layer, std::int64_t dims, bool transposed) {
    if (!layer.weight.defined()) return;
    result = {layer.weight, layer.bias, layer.weight.size(0), dims, 1, transposed};
    if constexpr (requires { layer.options.groups(); }) result.groups = layer.options.groups();
    if (transposed) result.channels = layer.weight.size(1) * result.groups;
  });
  return result;
}

FoldedNorm norm_of(const Module& module) {
  FoldedNorm result;
  visit_norm(module, [&](const auto& norm, std::int64_t dims) {
    result = {&norm.options, norm.weight, norm.bias, norm.running_mean, norm.running_var, dims};
  });
  return result;
}

bool matches(const FusedLayer& layer, const FoldedNorm& norm) {
  return layer.channels > 0 && norm.options != nullptr && norm.mean.defined() &&
         layer.dims == norm.dims && norm.mean.numel() == layer.channels;
}

void check_evaluation(const Module& layer, const Module& norm) {
  TERN_CHECK(!layer.is_training() && !norm.is_training(), Error,
             "fuse_conv_bn: Fusion only for eval! Call eval() first: the ",
             layer.is_training() ? "layer" : "BatchNorm", " is in training mode");
}

}  // namespace

void detail::fuse_into(Module& module, const Module& norm) {
  check_evaluation(module, norm);
  const FusedLayer layer = layer_of(module);
  const FoldedNorm folded = norm_of(norm);
  TERN_CHECK(
      matches(layer, folded), Error,
      "fuse_conv_bn: expected a convolution or Linear and a BatchNorm of the same dimensions "
      "with running statistics of ",
      layer.channels, " channels, got statistics of ",
      folded.mean.defined() ? folded.mean.numel() : 0);
  const NoGradGuard no_grad;
  const auto fused = utils::fuse_conv_bn_weights(
      layer.weight, layer.bias, folded.mean, folded.variance, folded.options->eps(), folded.weight,
      folded.bias, layer.transposed, layer.groups);
  // New tensors: another layer may be tied to the old ones.
  visit_layer(module, [&](auto& changed, std::int64_t, bool) {
    const bool trains_bias = !layer.bias.defined() || layer.bias.requires_grad();
    changed.options.bias(true);
    changed.replace_parameter("weight", std::get<0>(fused), layer.weight.requires_grad());
    changed.replace_parameter("bias", std::get<1>(fused), trains_bias);
  });
}

std::vector<std::pair<std::string, std::string>> fuse_conv_bn(Module& model) {
  struct Pair {
    std::shared_ptr<Module> layer, norm;
  };
  std::vector<Pair> pairs;
  std::vector<std::pair<std::string, std::string>> names;
  std::map<const Module*, int> uses;  // how often a module is registered
  ModuleWalk::paths(model, [&](const std::string&, const Module& module) { ++uses[&module]; });
  const auto search = [&](const Module& parent, const std::string& prefix) {
    std::shared_ptr<Module> before;
    std::string before_name;
    for (const auto& [name, child] : parent.named_children()) {
      if (before != nullptr && matches(layer_of(*before), norm_of(*child))) {
        pairs.push_back({before, child});
        names.emplace_back(prefix + before_name, prefix + name);
      }
      before = child;
      before_name = name;
    }
  };
  search(model, "");
  for (const auto& [name, module] : model.named_modules("", false)) search(*module, name + '.');
  for (std::size_t i = pairs.size(); i-- > 0;) {
    if (uses[pairs[i].layer.get()] == 1 && uses[pairs[i].norm.get()] == 1) {
      check_evaluation(*pairs[i].layer, *pairs[i].norm);
      continue;
    }
    pairs.erase(pairs.begin() + static_cast<std::ptrdiff_t>(i));
    names.erase(names.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (const Pair& pair : pairs) {
    detail::fuse_into(*pair.layer, *pair.norm);
    visit_norm(*pair.norm, [](auto& norm, std::int64_t) { norm.become_identity(); });
  }
  return names;
}

}  // namespace tern::nn
