#include <tern/nn/modules/layer_norm.h>

#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/create/creation.h>
#include <tern/core/ops/nn/group_norm.h>
#include <tern/core/ops/nn/layer_norm.h>
#include <tern/nn/detail/factory.h>
#include <tern/nn/detail/printing.h>
#include <tern/nn/init.h>

namespace tern::nn::functional {

Tensor group_norm(const Tensor& input, const GroupNormFuncOptions& options) {
  TERN_OP("group_norm", input);
  TERN_AUTOCAST_INNER_OPS();
  const std::int64_t groups = options.num_groups();
  // With one group for each value of a batch of one sample, the result would always be 0.
  TERN_CHECK(groups <= 0 || input.dim() < 2 || input.numel() != groups, ShapeError,
             "Expected more than 1 value per channel when training, got input size ",
             input.sizes());
  return tern::group_norm(input, groups, options.weight(), options.bias(), options.eps());
}

}  // namespace tern::nn::functional

namespace tern::nn {

namespace {

/// Returns a parameter of normalized_shape, or none if it is not `wanted`.
template <class Options>
Tensor normalized_parameter(const char* module, const Options& options, bool wanted) {
  TERN_CHECK(!options.normalized_shape().empty(), ShapeError, module,
             ": Expected normalized_shape to be at least 1-dimensional, i.e., containing at least "
             "one element, but got normalized_shape = []");
  if (!wanted) return {};
  for (const std::int64_t size : options.normalized_shape()) {
    detail::check_size(module, "normalized_shape", size);
  }
  return empty(options.normalized_shape(), detail::factory_options(options));
}

void set_ones_and_zeros(Tensor weight, Tensor bias) {
  if (weight.defined()) init::ones_(std::move(weight));
  if (bias.defined()) init::zeros_(std::move(bias));
}

}  // namespace

LayerNormImpl::LayerNormImpl(const LayerNormOptions& options_) : options(options_) {
  LayerNormImpl::reset();
}

void LayerNormImpl::reset() {
  const auto parameter = [&](bool wanted) {
    return normalized_parameter("nn::LayerNorm", options, wanted);
  };
  bind_parameter("weight", weight, parameter(options.elementwise_affine()));
  bind_parameter("bias", bias, parameter(options.elementwise_affine() && options.bias()));
  reset_parameters();
}

void LayerNormImpl::reset_parameters() { set_ones_and_zeros(weight, bias); }

void LayerNormImpl::pretty_print(std::ostream& stream) const {
  detail::print_to(stream, {"tern::nn::LayerNorm(", IntArrayRef(options.normalized_shape()),
                            ", eps=", options.eps(), ", elementwise_affine=",
                            detail::text_of_bool(options.elementwise_affine())});
  if (!options.bias()) stream << ", bias=false";
  stream << ')';
}

Tensor LayerNormImpl::forward(const Tensor& input) {
  return layer_norm(input, options.normalized_shape(), weight, bias, options.eps());
}

RMSNormImpl::RMSNormImpl(const RMSNormOptions& options_) : options(options_) {
  RMSNormImpl::reset();
}

void RMSNormImpl::reset() {
  bind_parameter("weight", weight,
                 normalized_parameter("nn::RMSNorm", options, options.elementwise_affine()));
  reset_parameters();
}

void RMSNormImpl::reset_parameters() { set_ones_and_zeros(weight, {}); }

void RMSNormImpl::pretty_print(std::ostream& stream) const {
  detail::print_to(stream,
                   {"tern::nn::RMSNorm(", IntArrayRef(options.normalized_shape()), ", eps="});
  if (options.eps()) {
    detail::print_to(stream, {*options.eps()});
  } else {
    stream << "None";
  }
  stream << ", elementwise_affine=" << detail::text_of_bool(options.elementwise_affine()) << ')';
}

Tensor RMSNormImpl::forward(const Tensor& input) {
  return rms_norm(input, options.normalized_shape(), weight, options.eps());
}

GroupNormImpl::GroupNormImpl(StrictInt num_groups, StrictInt num_channels)
    : GroupNormImpl(GroupNormOptions(num_groups, num_channels)) {}
GroupNormImpl::GroupNormImpl(const GroupNormOptions& options_) : options(options_) {
  GroupNormImpl::reset();
}

void GroupNormImpl::reset() {
  const std::int64_t groups = options.num_groups(), channels = options.num_channels();
  TERN_CHECK(groups > 0, ShapeError, "nn::GroupNorm: num_groups must be positive, got ", groups);
  detail::check_size("nn::GroupNorm", "num_channels", channels);
  TERN_CHECK(channels % groups == 0, ShapeError, "nn::GroupNorm: num_channels (", channels,
             ") must be divisible by num_groups (", groups, ")");
  const auto parameter = [&](bool wanted) {
    return wanted ? empty({channels}, detail::factory_options(options)) : Tensor();
  };
  bind_parameter("weight", weight, parameter(options.affine()));
  bind_parameter("bias", bias, parameter(options.affine() && options.bias()));
  reset_parameters();
}

void GroupNormImpl::reset_parameters() { set_ones_and_zeros(weight, bias); }

void GroupNormImpl::pretty_print(std::ostream& stream) const {
  detail::print_to(stream,
                   {"tern::nn::GroupNorm(", options.num_groups(), ", ", options.num_channels(),
                    ", eps=", options.eps(), ", affine=", detail::text_of_bool(options.affine())});
  if (!options.bias()) stream << ", bias=false";
  stream << ')';
}

Tensor GroupNormImpl::forward(const Tensor& input) {
  return functional::group_norm(input, functional::GroupNormFuncOptions(options.num_groups())
                                           .weight(weight)
                                           .bias(bias)
                                           .eps(options.eps()));
}

}  // namespace tern::nn
