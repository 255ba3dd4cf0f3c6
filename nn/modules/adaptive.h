#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <tern/core/tensor/options.h>
#include <tern/nn/containers/module_list.h>
#include <tern/nn/modules/linear.h>
#include <tern/nn/options/options_arg.h>

namespace tern::nn {

/// Options of AdaptiveLogSoftmaxWithLoss.
struct AdaptiveLogSoftmaxWithLossOptions {
  /// Sets the sizes and the cutoffs.
  AdaptiveLogSoftmaxWithLossOptions(StrictInt in_features, StrictInt n_classes,
                                    std::vector<std::int64_t> cutoffs)
      : in_features_(in_features), n_classes_(n_classes), cutoffs_(std::move(cutoffs)) {}
  /// The last size of the input.
  TERN_ARG(std::int64_t, in_features);
  /// The number of classes, the frequent ones first.
  TERN_ARG(std::int64_t, n_classes);
  /// The first class of each cluster, in increasing order; the classes before belong to the head.
  TERN_ARG(std::vector<std::int64_t>, cutoffs);
  /// Cluster i, counted from 1, has in_features / div_value^i features.
  TERN_ARG(double, div_value) = 4.0;
  /// True: the head has a bias.
  TERN_ARG(bool, head_bias) = false;
  /// The device of the parameters; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the parameters; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};

/// What AdaptiveLogSoftmaxWithLoss returns. In Python, too, the loss is a tensor; in libtorch it is
/// a number, which has no gradient.
struct ASMoutput {
  /// The log-probability of each target, [N] or [].
  Tensor output;
  /// The mean of -output, [].
  Tensor loss;
};

/// Log-softmax over many classes with a loss (Grave et al., 2017). Classes are sorted by frequency:
/// those before the first cutoff, and one entry for each cluster of rarer classes, belong to the
/// head. A cluster has a smaller layer of its own, which runs only for targets in the cluster.
///
/// Shape: input [N, in_features] or [in_features]; int64 target [N] or [], from 0 to n_classes - 1
/// Parameters: those of head, a Linear, and of tail, a list with two Linear for each cluster
///
/// Example:
///   nn::AdaptiveLogSoftmaxWithLoss softmax(64, 10000, {100, 1000});
///   softmax->forward(x, words).loss.backward();
///   Tensor next = softmax->predict(x);
class TERN_API AdaptiveLogSoftmaxWithLossImpl : public Cloneable<AdaptiveLogSoftmaxWithLossImpl> {
 public:
  /// Makes the layers. Throws Error unless the cutoffs are increasing numbers from 1 to
  /// n_classes - 1.
  AdaptiveLogSoftmaxWithLossImpl(StrictInt in_features, StrictInt n_classes,
                                 std::vector<std::int64_t> cutoffs_);
  /// Makes the layers.
  explicit AdaptiveLogSoftmaxWithLossImpl(AdaptiveLogSoftmaxWithLossOptions options_);

  void reset() override;
  /// Draws new parameters.
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  /// Returns the log-probabilities of the targets and the loss. Throws ShapeError when the
  /// arguments do not fit, IndexError for a target out of range.
  ASMoutput forward(const Tensor& input, const Tensor& target);
  /// Returns the log-probabilities of all classes, [N, n_classes].
  Tensor log_prob(const Tensor& input);
  /// Returns the class with the highest probability of each sample, [N]. Clusters run only for
  /// samples whose best entry of the head is a cluster.
  Tensor predict(const Tensor& input);

  /// The options given to the constructor.
  AdaptiveLogSoftmaxWithLossOptions options;
  /// The cutoffs, and n_classes as the last one.
  std::vector<std::int64_t> cutoffs;
  /// The number of classes in the head.
  std::int64_t shortlist_size = 0;
  /// The number of clusters.
  std::int64_t n_clusters = 0;
  /// The number of classes in the head and clusters.
  std::int64_t head_size = 0;
  /// The layer of the frequent classes and the clusters.
  Linear head{nullptr};
  /// The layers of each cluster, a Sequential of two Linear.
  ModuleList tail{nullptr};

 private:
  Tensor cluster_log_prob(std::int64_t cluster, const Tensor& input);
  Tensor full_log_prob(const Tensor& input, const Tensor& head_output);
};
TERN_MODULE(AdaptiveLogSoftmaxWithLoss);

}  // namespace tern::nn
