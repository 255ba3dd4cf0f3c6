#include <algorithm>
#include <cmath>
#include <functional>

#include <tern/core/ops/ops.h>
#include <tern/nn/containers/sequential.h>
#include <tern/nn/detail/factory.h>
#include <tern/nn/modules/adaptive.h>

namespace tern::nn {

namespace {

void check_cutoffs(const std::vector<std::int64_t>& cutoffs, std::int64_t n_classes) {
  TERN_CHECK(!cutoffs.empty(), Error,
             "nn::AdaptiveLogSoftmaxWithLoss: cutoffs should be a sequence of length larger than "
             "0, got none");
  const bool increase = std::adjacent_find(cutoffs.begin(), cutoffs.end(),
                                           std::greater_equal<std::int64_t>()) == cutoffs.end();
  TERN_CHECK(increase && cutoffs.front() > 0 && cutoffs.back() < n_classes, Error,
             "nn::AdaptiveLogSoftmaxWithLoss: cutoffs should be a sequence of unique, positive "
             "integers sorted in an increasing order, where each value is between 1 and "
             "n_classes-1, got ",
             IntArrayRef(cutoffs), " for ", n_classes, " classes");
}

void check_target(const Tensor& input, const Tensor& target) {
  TERN_CHECK(target.dim() <= 1, ShapeError,
             "0D or 1D target tensor expected, multi-target not supported, got sizes ",
             target.sizes());
  TERN_CHECK(input.dim() == target.dim() + 1, ShapeError, target.dim(), "D target tensor expects ",
             target.dim() + 1, "D input tensors, but found inputs with size ", input.sizes());
  TERN_CHECK(target.dim() == 0 || input.size(0) == target.size(0), ShapeError,
             "Input and target should have the same size in the batch dimension, got ",
             input.sizes(), " and ", target.sizes());
}

}  // namespace

AdaptiveLogSoftmaxWithLossImpl::AdaptiveLogSoftmaxWithLossImpl(StrictInt in_features,
                                                               StrictInt n_classes,
                                                               std::vector<std::int64_t> cutoffs_)
    : AdaptiveLogSoftmaxWithLossImpl(
          AdaptiveLogSoftmaxWithLossOptions(in_features, n_classes, std::move(cutoffs_))) {}
AdaptiveLogSoftmaxWithLossImpl::AdaptiveLogSoftmaxWithLossImpl(
    AdaptiveLogSoftmaxWithLossOptions options_)
    : options(std::move(options_)) {
  AdaptiveLogSoftmaxWithLossImpl::reset();
}

void AdaptiveLogSoftmaxWithLossImpl::reset() {
  detail::check_size("nn::AdaptiveLogSoftmaxWithLoss", "in_features", options.in_features());
  TERN_CHECK(options.div_value() > 0, Error,
             "nn::AdaptiveLogSoftmaxWithLoss: div_value must be positive, got ",
             options.div_value());
  check_cutoffs(options.cutoffs(), options.n_classes());
  cutoffs = options.cutoffs();
  cutoffs.push_back(options.n_classes());
  shortlist_size = cutoffs.front();
  n_clusters = static_cast<std::int64_t>(cutoffs.size()) - 1;
  head_size = shortlist_size + n_clusters;
  const auto layer = [this](std::int64_t in, std::int64_t out, bool bias) {
    return Linear(
        LinearOptions(in, out).bias(bias).device(options.device()).dtype(options.dtype()));
  };
  head = register_module("head", layer(options.in_features(), head_size, options.head_bias()));
  tail = register_module("tail", ModuleList());
  const double features = static_cast<double>(options.in_features());
  for (std::size_t i = 1; i < cutoffs.size(); ++i) {
    const double divisor = std::pow(options.div_value(), static_cast<double>(i));
    const double size = std::floor(features / divisor);
    TERN_CHECK(size < 1e15, Error, "nn::AdaptiveLogSoftmaxWithLoss: div_value ",
               options.div_value(), " gives cluster ", i, " a projection of size ", size);
    const auto hidden = static_cast<std::int64_t>(size);
    const Linear projection = layer(options.in_features(), hidden, false);  // drawn first
    tail->push_back(Sequential(projection, layer(hidden, cutoffs[i] - cutoffs[i - 1], false)));
  }
}

void AdaptiveLogSoftmaxWithLossImpl::reset_parameters() {
  head->reset_parameters();
  for (const auto& cluster : *tail) {
    for (const auto& layer : cluster->children()) layer->as<Linear>()->reset_parameters();
  }
}

void AdaptiveLogSoftmaxWithLossImpl::pretty_print(std::ostream& stream) const {
  stream << "tern::nn::AdaptiveLogSoftmaxWithLoss";
}

Tensor AdaptiveLogSoftmaxWithLossImpl::cluster_log_prob(std::int64_t cluster, const Tensor& input) {
  return tail->at<SequentialImpl>(cluster).forward(input).log_softmax(1);
}

ASMoutput AdaptiveLogSoftmaxWithLossImpl::forward(const Tensor& input, const Tensor& target) {
  check_target(input, target);
  if (target.dim() == 0) {
    const ASMoutput batch = forward(input.unsqueeze(0), target.unsqueeze(0));
    return {batch.output.squeeze(0), batch.loss};
  }
  if (target.numel() > 0) {
    const auto low = target.min().item<std::int64_t>(), high = target.max().item<std::int64_t>();
    TERN_CHECK(low >= 0 && high < options.n_classes(), IndexError,
               "Target values should be in [0, ", options.n_classes() - 1,
               "], but values in range [", low, ", ", high, "] were found.");
  }
  Tensor of_cluster = input.new_zeros(target.sizes()), entry = target;
  for (std::int64_t i = 0; i < n_clusters; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Tensor mask = (target >= cutoffs[at]).logical_and(target < cutoffs[at + 1]);
    const Tensor rows = mask.nonzero().flatten();
    if (rows.numel() == 0) continue;
    const Tensor label = (target.index_select(0, rows) - cutoffs[at]).unsqueeze(1);
    const Tensor chosen = cluster_log_prob(i, input.index_select(0, rows)).gather(1, label);
    of_cluster = of_cluster.index_copy(0, rows, chosen.squeeze(1));
    entry = entry.masked_fill(mask, shortlist_size + i);
  }
  const Tensor of_head = head(input).log_softmax(1).gather(1, entry.unsqueeze(1)).squeeze(1);
  const Tensor output = of_cluster + of_head;
  return {output, (-output).mean()};
}

Tensor AdaptiveLogSoftmaxWithLossImpl::full_log_prob(const Tensor& input,
                                                     const Tensor& head_output) {
  const Tensor of_head = head_output.log_softmax(1);
  std::vector<Tensor> parts{of_head.narrow(1, 0, shortlist_size)};
  for (std::int64_t i = 0; i < n_clusters; ++i) {
    parts.push_back(cluster_log_prob(i, input) + of_head.narrow(1, shortlist_size + i, 1));
  }
  return cat(parts, 1);
}

Tensor AdaptiveLogSoftmaxWithLossImpl::log_prob(const Tensor& input) {
  return full_log_prob(input, head(input));
}

Tensor AdaptiveLogSoftmaxWithLossImpl::predict(const Tensor& input) {
  const Tensor head_output = head(input);
  Tensor best = head_output.argmax(1);
  const Tensor rows = (best >= shortlist_size).nonzero().flatten();
  if (rows.numel() == 0) return best;
  const Tensor all = full_log_prob(input.index_select(0, rows), head_output.index_select(0, rows));
  return best.index_copy(0, rows, all.argmax(1));
}

}  // namespace tern::nn
