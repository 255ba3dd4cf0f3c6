#pragma once

// torch::nn::functional::detail: the layers of torch::nn::functional with the options as arguments
// one by one, which modules of libtorch call.

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <tern/compat/names/torch.h>

namespace torch::nn::functional::detail {

using ::tern::cosine_similarity;
using ::tern::glu;
using ::tern::hardshrink;
using ::tern::log_softmax;
using ::tern::pairwise_distance;
using ::tern::pixel_shuffle;
using ::tern::pixel_unshuffle;
using ::tern::softmax;
using ::tern::softplus;
using ::tern::softshrink;

// Activations.
inline Tensor elu(Tensor input, double alpha, bool inplace) {
  return functional::elu(std::move(input), ELUFuncOptions().alpha(alpha).inplace(inplace));
}
inline Tensor selu(Tensor input, bool inplace) {
  return functional::selu(std::move(input), SELUFuncOptions().inplace(inplace));
}
inline Tensor celu(Tensor input, double alpha, bool inplace) {
  return functional::celu(std::move(input), CELUFuncOptions().alpha(alpha).inplace(inplace));
}
inline Tensor hardtanh(Tensor input, double min_val, double max_val, bool inplace) {
  return functional::hardtanh(
      std::move(input), HardtanhFuncOptions().min_val(min_val).max_val(max_val).inplace(inplace));
}
inline Tensor leaky_relu(Tensor input, double negative_slope, bool inplace) {
  return functional::leaky_relu(
      std::move(input), LeakyReLUFuncOptions().negative_slope(negative_slope).inplace(inplace));
}
inline Tensor relu(Tensor input, bool inplace) {
  return functional::relu(std::move(input), ReLUFuncOptions().inplace(inplace));
}
inline Tensor relu6(Tensor input, bool inplace) {
  return functional::relu6(std::move(input), ReLU6FuncOptions().inplace(inplace));
}
inline Tensor rrelu(Tensor input, double lower, double upper, bool training, bool inplace) {
  return functional::rrelu(
      std::move(input),
      RReLUFuncOptions().lower(lower).upper(upper).training(training).inplace(inplace));
}
inline Tensor threshold(Tensor input, double threshold, double value, bool inplace) {
  return functional::threshold(std::move(input),
                               ThresholdFuncOptions(threshold, value).inplace(inplace));
}
inline Tensor gelu(const Tensor& input, const std::string& approximate) {
  return functional::gelu(input, GELUFuncOptions().approximate(approximate));
}
inline Tensor softmin(const Tensor& input, std::int64_t dim, std::optional<Dtype> dtype) {
  return functional::softmin(input, SoftminFuncOptions(dim).dtype(dtype));
}
inline Tensor gumbel_softmax(const Tensor& logits, double tau, bool hard, int dim) {
  return functional::gumbel_softmax(logits,
                                    GumbelSoftmaxFuncOptions().tau(tau).hard(hard).dim(dim));
}

// Dropout.
inline Tensor dropout(Tensor input, double p, bool training, bool inplace) {
  return functional::dropout(std::move(input),
                             DropoutFuncOptions().p(p).training(training).inplace(inplace));
}
inline Tensor dropout2d(Tensor input, double p, bool training, bool inplace) {
  return functional::dropout2d(std::move(input),
                               Dropout2dFuncOptions().p(p).training(training).inplace(inplace));
}
inline Tensor dropout3d(Tensor input, double p, bool training, bool inplace) {
  return functional::dropout3d(std::move(input),
                               Dropout3dFuncOptions().p(p).training(training).inplace(inplace));
}
inline Tensor alpha_dropout(Tensor input, double p, bool training, bool inplace) {
  return functional::alpha_dropout(
      std::move(input), AlphaDropoutFuncOptions().p(p).training(training).inplace(inplace));
}
inline Tensor feature_alpha_dropout(Tensor input, double p, bool training, bool inplace) {
  return functional::feature_alpha_dropout(
      std::move(input), FeatureAlphaDropoutFuncOptions().p(p).training(training).inplace(inplace));
}

// Convolutions.
inline Tensor conv1d(const Tensor& input, const Tensor& weight, const Tensor& bias,
                     ExpandingArray<1> stride, const Conv1dFuncOptions::padding_t& padding,
                     ExpandingArray<1> dilation, std::int64_t groups) {
  return functional::conv1d(
      input, weight,
      Conv1dFuncOptions().bias(bias).stride(stride).padding(padding).dilation(dilation).groups(
          groups));
}
inline Tensor conv2d(const Tensor& input, const Tensor& weight, const Tensor& bias,
                     ExpandingArray<2> stride, const Conv2dFuncOptions::padding_t& padding,
                     ExpandingArray<2> dilation, std::int64_t groups) {
  return functional::conv2d(
      input, weight,
      Conv2dFuncOptions().bias(bias).stride(stride).padding(padding).dilation(dilation).groups(
          groups));
}
inline Tensor conv3d(const Tensor& input, const Tensor& weight, const Tensor& bias,
                     ExpandingArray<3> stride, const Conv3dFuncOptions::padding_t& padding,
                     ExpandingArray<3> dilation, std::int64_t groups) {
  return functional::conv3d(
      input, weight,
      Conv3dFuncOptions().bias(bias).stride(stride).padding(padding).dilation(dilation).groups(
          groups));
}
using ::tern::conv_transpose1d;
using ::tern::conv_transpose2d;
using ::tern::conv_transpose3d;

// Normalization.
inline Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                         const Tensor& weight, const Tensor& bias, bool training,
                         std::optional<double> momentum, double eps) {
  BatchNormFuncOptions options;
  options.weight(weight).bias(bias).training(training).eps(eps);
  return functional::batch_norm(input, running_mean, running_var,
                                options.momentum(momentum.value_or(0)));
}
inline Tensor instance_norm(const Tensor& input, const Tensor& running_mean,
                            const Tensor& running_var, const Tensor& weight, const Tensor& bias,
                            bool use_input_stats, double momentum, double eps) {
  InstanceNormFuncOptions options;
  options.running_mean(running_mean).running_var(running_var).weight(weight).bias(bias);
  return functional::instance_norm(
      input, options.use_input_stats(use_input_stats).momentum(momentum).eps(eps));
}
inline Tensor layer_norm(const Tensor& input, const std::vector<std::int64_t>& normalized_shape,
                         const Tensor& weight, const Tensor& bias, double eps) {
  return ::tern::layer_norm(input, normalized_shape, weight, bias, eps);
}
inline Tensor group_norm(const Tensor& input, std::int64_t num_groups, const Tensor& weight,
                         const Tensor& bias, double eps) {
  return ::tern::group_norm(input, num_groups, weight, bias, eps);
}
inline Tensor local_response_norm(const Tensor& input, std::int64_t size, double alpha, double beta,
                                  double k) {
  return functional::local_response_norm(
      input, LocalResponseNormFuncOptions(size).alpha(alpha).beta(beta).k(k));
}
inline Tensor normalize(const Tensor& input, double p, std::int64_t dim, double eps,
                        std::optional<Tensor> out) {
  return functional::normalize(input,
                               NormalizeFuncOptions().p(p).dim(dim).eps(eps).out(std::move(out)));
}

// Embeddings, folding and padding.
inline Tensor embedding(const Tensor& input, const Tensor& weight,
                        std::optional<std::int64_t> padding_idx, std::optional<double> max_norm,
                        double norm_type, bool scale_grad_by_freq, bool sparse) {
  EmbeddingFuncOptions options;
  if (padding_idx) options.padding_idx(*padding_idx);
  if (max_norm) options.max_norm(*max_norm);
  return functional::embedding(
      input, weight,
      options.norm_type(norm_type).scale_grad_by_freq(scale_grad_by_freq).sparse(sparse));
}
inline Tensor embedding_bag(const Tensor& input, const Tensor& weight, const Tensor& offsets,
                            std::optional<double> max_norm, double norm_type,
                            bool scale_grad_by_freq, EmbeddingBagMode mode, bool sparse,
                            const Tensor& per_sample_weights, bool include_last_offset,
                            std::optional<std::int64_t> padding_idx) {
  EmbeddingBagFuncOptions options;
  if (padding_idx) options.padding_idx(*padding_idx);
  if (max_norm) options.max_norm(*max_norm);
  options.offsets(offsets).norm_type(norm_type).scale_grad_by_freq(scale_grad_by_freq);
  options.mode(mode).sparse(sparse).per_sample_weights(per_sample_weights);
  return functional::embedding_bag(input, weight, options.include_last_offset(include_last_offset));
}
inline Tensor fold(const Tensor& input, ExpandingArray<2> output_size,
                   ExpandingArray<2> kernel_size, ExpandingArray<2> dilation,
                   ExpandingArray<2> padding, ExpandingArray<2> stride) {
  return functional::fold(
      input,
      FoldFuncOptions(output_size, kernel_size).dilation(dilation).padding(padding).stride(stride));
}
inline Tensor unfold(const Tensor& input, ExpandingArray<2> kernel_size, ExpandingArray<2> dilation,
                     ExpandingArray<2> padding, ExpandingArray<2> stride) {
  return functional::unfold(
      input, UnfoldFuncOptions(kernel_size).dilation(dilation).padding(padding).stride(stride));
}
inline Tensor pad(const Tensor& input, IntArrayRef pad, PadFuncOptions::mode_t mode, double value) {
  return functional::pad(input, PadFuncOptions(pad.vec()).mode(mode).value(value));
}

// Pooling.

inline Tensor avg_pool1d(const Tensor& input, ExpandingArray<1> kernel_size,
                         ExpandingArray<1> stride, ExpandingArray<1> padding, bool ceil_mode,
                         bool count_include_pad) {
  AvgPool1dFuncOptions options(kernel_size);
  options.stride(stride).padding(padding).ceil_mode(ceil_mode);
  return functional::avg_pool1d(input, options.count_include_pad(count_include_pad));
}
inline Tensor avg_pool2d(const Tensor& input, ExpandingArray<2> kernel_size,
                         ExpandingArray<2> stride, ExpandingArray<2> padding, bool ceil_mode,
                         bool count_include_pad, std::optional<std::int64_t> divisor_override) {
  AvgPool2dFuncOptions options(kernel_size);
  options.stride(stride).padding(padding).ceil_mode(ceil_mode);
  if (divisor_override) options.divisor_override(*divisor_override);
  return functional::avg_pool2d(input, options.count_include_pad(count_include_pad));
}
inline Tensor avg_pool3d(const Tensor& input, ExpandingArray<3> kernel_size,
                         ExpandingArray<3> stride, ExpandingArray<3> padding, bool ceil_mode,
                         bool count_include_pad, std::optional<std::int64_t> divisor_override) {
  AvgPool3dFuncOptions options(kernel_size);
  options.stride(stride).padding(padding).ceil_mode(ceil_mode);
  if (divisor_override) options.divisor_override(*divisor_override);
  return functional::avg_pool3d(input, options.count_include_pad(count_include_pad));
}
inline Tensor max_pool1d(const Tensor& input, ExpandingArray<1> kernel_size,
                         ExpandingArray<1> stride, ExpandingArray<1> padding,
                         ExpandingArray<1> dilation, bool ceil_mode) {
  MaxPool1dFuncOptions options(kernel_size);
  options.stride(stride).padding(padding).dilation(dilation);
  return functional::max_pool1d(input, options.ceil_mode(ceil_mode));
}
inline std::tuple<Tensor, Tensor> max_pool1d_with_indices(
    const Tensor& input, ExpandingArray<1> kernel_size, ExpandingArray<1> stride,
    ExpandingArray<1> padding, ExpandingArray<1> dilation, bool ceil_mode) {
  MaxPool1dFuncOptions options(kernel_size);
  options.stride(stride).padding(padding).dilation(dilation);
  return functional::max_pool1d_with_indices(input, options.ceil_mode(ceil_mode));
}
inline Tensor max_pool2d(const Tensor& input, ExpandingArray<2> kernel_size,
                         ExpandingArray<2> stride, ExpandingArray<2> padding,
                         ExpandingArray<2> dilation, bool ceil_mode) {
  MaxPool2dFuncOptions options(kernel_size);
  options.stride(stride).padding(padding).dilation(dilation);
  return functional::max_pool2d(input, options.ceil_mode(ceil_mode));
}
inline std::tuple<Tensor, Tensor> max_pool2d_with_indices(
    const Tensor& input, ExpandingArray<2> kernel_size, ExpandingArray<2> stride,
    ExpandingArray<2> padding, ExpandingArray<2> dilation, bool ceil_mode) {
  MaxPool2dFuncOptions options(kernel_size);
  options.stride(stride).padding(padding).dilation(dilation);
  return functional::max_pool2d_with_indices(input, options.ceil_mode(ceil_mode));
}
inline Tensor max_pool3d(const Tensor& input, ExpandingArray<3> kernel_size,
                         ExpandingArray<3> stride, ExpandingArray<3> padding,
                         ExpandingArray<3> dilation, bool ceil_mode) {
  MaxPool3dFuncOptions options(kernel_size);
  options.stride(stride).padding(padding).dilation(dilation);
  return functional::max_pool3d(input, options.ceil_mode(ceil_mode));
}
inline std::tuple<Tensor, Tensor> max_pool3d_with_indices(
    const Tensor& input, ExpandingArray<3> kernel_size, ExpandingArray<3> stride,
    ExpandingArray<3> padding, ExpandingArray<3> dilation, bool ceil_mode) {
  MaxPool3dFuncOptions options(kernel_size);
  options.stride(stride).padding(padding).dilation(dilation);
  return functional::max_pool3d_with_indices(input, options.ceil_mode(ceil_mode));
}
inline Tensor adaptive_max_pool1d(const Tensor& input, ExpandingArray<1> output_size) {
  return functional::adaptive_max_pool1d(input, AdaptiveMaxPool1dFuncOptions(output_size));
}
inline std::tuple<Tensor, Tensor> adaptive_max_pool1d_with_indices(const Tensor& input,
                                                                   ExpandingArray<1> output_size) {
  return functional::adaptive_max_pool1d_with_indices(input,
                                                      AdaptiveMaxPool1dFuncOptions(output_size));
}
inline Tensor adaptive_avg_pool1d(const Tensor& input, ExpandingArray<1> output_size) {
  return functional::adaptive_avg_pool1d(input, AdaptiveAvgPool1dFuncOptions(output_size));
}
inline Tensor adaptive_max_pool2d(const Tensor& input,
                                  ExpandingArrayWithOptionalElem<2> output_size) {
  return functional::adaptive_max_pool2d(input, AdaptiveMaxPool2dFuncOptions(output_size));
}
inline std::tuple<Tensor, Tensor> adaptive_max_pool2d_with_indices(
    const Tensor& input, ExpandingArrayWithOptionalElem<2> output_size) {
  return functional::adaptive_max_pool2d_with_indices(input,
                                                      AdaptiveMaxPool2dFuncOptions(output_size));
}
inline Tensor adaptive_avg_pool2d(const Tensor& input,
                                  ExpandingArrayWithOptionalElem<2> output_size) {
  return functional::adaptive_avg_pool2d(input, AdaptiveAvgPool2dFuncOptions(output_size));
}
inline Tensor adaptive_max_pool3d(const Tensor& input,
                                  ExpandingArrayWithOptionalElem<3> output_size) {
  return functional::adaptive_max_pool3d(input, AdaptiveMaxPool3dFuncOptions(output_size));
}
inline std::tuple<Tensor, Tensor> adaptive_max_pool3d_with_indices(
    const Tensor& input, ExpandingArrayWithOptionalElem<3> output_size) {
  return functional::adaptive_max_pool3d_with_indices(input,
                                                      AdaptiveMaxPool3dFuncOptions(output_size));
}
inline Tensor adaptive_avg_pool3d(const Tensor& input,
                                  ExpandingArrayWithOptionalElem<3> output_size) {
  return functional::adaptive_avg_pool3d(input, AdaptiveAvgPool3dFuncOptions(output_size));
}
inline Tensor max_unpool1d(const Tensor& input, const Tensor& indices,
                           ExpandingArray<1> kernel_size, ExpandingArray<1> stride,
                           ExpandingArray<1> padding,
                           const std::optional<std::vector<std::int64_t>>& output_size) {
  MaxUnpool1dFuncOptions options(kernel_size);
  options.stride(stride).padding(padding);
  if (output_size) options.output_size(*output_size);
  return functional::max_unpool1d(input, indices, options);
}
inline Tensor max_unpool2d(const Tensor& input, const Tensor& indices,
                           ExpandingArray<2> kernel_size, ExpandingArray<2> stride,
                           ExpandingArray<2> padding,
                           const std::optional<std::vector<std::int64_t>>& output_size) {
  MaxUnpool2dFuncOptions options(kernel_size);
  options.stride(stride).padding(padding);
  if (output_size) options.output_size(*output_size);
  return functional::max_unpool2d(input, indices, options);
}
inline Tensor max_unpool3d(const Tensor& input, const Tensor& indices,
                           ExpandingArray<3> kernel_size, ExpandingArray<3> stride,
                           ExpandingArray<3> padding,
                           const std::optional<std::vector<std::int64_t>>& output_size) {
  MaxUnpool3dFuncOptions options(kernel_size);
  options.stride(stride).padding(padding);
  if (output_size) options.output_size(*output_size);
  return functional::max_unpool3d(input, indices, options);
}
inline Tensor lp_pool1d(const Tensor& input, double norm_type, ExpandingArray<1> kernel_size,
                        ExpandingArray<1> stride, bool ceil_mode) {
  LPPool1dFuncOptions options(norm_type, kernel_size);
  return functional::lp_pool1d(input, options.stride(stride).ceil_mode(ceil_mode));
}
inline Tensor lp_pool2d(const Tensor& input, double norm_type, ExpandingArray<2> kernel_size,
                        ExpandingArray<2> stride, bool ceil_mode) {
  LPPool2dFuncOptions options(norm_type, kernel_size);
  return functional::lp_pool2d(input, options.stride(stride).ceil_mode(ceil_mode));
}
inline Tensor lp_pool3d(const Tensor& input, double norm_type, ExpandingArray<3> kernel_size,
                        ExpandingArray<3> stride, bool ceil_mode) {
  LPPool3dFuncOptions options(norm_type, kernel_size);
  return functional::lp_pool3d(input, options.stride(stride).ceil_mode(ceil_mode));
}

// Resizing.
inline Tensor interpolate(const Tensor& input, const std::optional<std::vector<std::int64_t>>& size,
                          const std::optional<std::vector<double>>& scale_factor,
                          InterpolateFuncOptions::mode_t mode, std::optional<bool> align_corners,
                          std::optional<bool> recompute_scale_factor, bool antialias) {
  InterpolateFuncOptions options;
  if (size) options.size(*size);
  if (scale_factor) options.scale_factor(*scale_factor);
  if (align_corners) options.align_corners(*align_corners);
  if (recompute_scale_factor) options.recompute_scale_factor(*recompute_scale_factor);
  return functional::interpolate(input, options.mode(mode).antialias(antialias));
}
inline Tensor grid_sample(const Tensor& input, const Tensor& grid,
                          GridSampleFuncOptions::mode_t mode,
                          GridSampleFuncOptions::padding_mode_t padding_mode,
                          std::optional<bool> align_corners) {
  GridSampleFuncOptions options;
  if (align_corners) options.align_corners(*align_corners);
  return functional::grid_sample(input, grid, options.mode(mode).padding_mode(padding_mode));
}

}  // namespace torch::nn::functional::detail
