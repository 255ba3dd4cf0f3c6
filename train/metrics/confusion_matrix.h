#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include <tern/nn/options/options_arg.h>
#include <tern/train/metrics/metric.h>

namespace tern::metrics {

/// How the values of several classes become one.
enum class Average : std::int8_t {
  None,      ///< one value per class
  Micro,     ///< from the counts of all classes together
  Macro,     ///< the mean over the classes that occur as a target or a prediction
  Weighted,  ///< the mean weighted by the number of targets of each class
  Binary,    ///< the value of class 1 of two classes
};

/// What the elements of a confusion matrix are divided by.
enum class Normalize : std::int8_t {
  Target,      ///< the number of targets of the class: each row has sum 1
  Prediction,  ///< the number of predictions of the class: each column has sum 1
  All,         ///< the number of samples
};

/// Options of ConfusionMatrix, Precision, Recall and F1.
struct ConfusionMatrixOptions {
  /// The lowest probability that means class 1. For logits, 0.
  TERN_ARG(double, threshold) = 0.5;
  /// Targets with this value do not count.
  TERN_ARG(std::optional<std::int64_t>, ignore_index);
};

/// Counts how often each class was predicted for each class. A row is a target, a column a
/// prediction. Takes the arguments that Accuracy takes; predictions are the largest scores.
///
/// Throws: ShapeError and DTypeError for other arguments; IndexError for a class out of range, on a
/// GPU from compute() and the functions after it.
///
/// Example:
///   metrics::ConfusionMatrix matrix(3);
///   matrix.update(net(batch.data), batch.target);
///   std::cout << matrix;                                            // a table
///   double recall = matrix.recall(metrics::Average::Macro).item<double>();
class TERN_API ConfusionMatrix : public TargetMetric {
 public:
  /// Throws Error unless there are at least 2 classes.
  explicit ConfusionMatrix(StrictInt num_classes, const ConfusionMatrixOptions& options = {});

  void update(const Tensor& input, const Tensor& target) override;
  /// Returns the counts, int64 [C, C].
  Tensor compute() const override;
  void reset() override;
  State state_dict() const override;
  void load_state_dict(const State& state) override;

  /// Returns the counts divided by sums, float64 [C, C]. Elements of an empty row or column are 0.
  Tensor normalized(Normalize by) const;
  /// Returns the share of right predictions, float64 [].
  Tensor accuracy() const;
  /// Returns which share of the predictions of a class is right, float64 [C] or []. A class that
  /// was never predicted has 0. Throws Error for Average::Binary unless there are 2 classes.
  Tensor precision(Average average) const;
  /// Returns which share of the targets of a class was found, float64 [C] or []. A class without
  /// targets has 0. With Average::Macro this is the balanced accuracy.
  Tensor recall(Average average) const;
  /// Returns the harmonic means of precision and recall, float64 [C] or []. Of pixels this is the
  /// Dice coefficient.
  Tensor f1(Average average) const;
  /// Returns the intersections over the unions of the samples that are a class and those that are
  /// predicted as it (Jaccard index), float64 [C] or []. A class that does not occur has 0. If
  /// ignore_index is a class, its predictions do not count for it.
  Tensor iou(Average average) const;

  /// Returns a table with the counts, and precision, recall and F1 of each class.
  ///
  /// Throws: Error unless `labels` is empty or has one text per class.
  std::string str(const std::vector<std::string>& labels = {}) const;

  /// Returns the number of classes C.
  std::int64_t num_classes() const { return num_classes_; }
  /// Returns the options.
  const ConfusionMatrixOptions& options() const { return options_; }

 private:
  std::int64_t num_classes_;
  ConfusionMatrixOptions options_;
  Tensor sums_;  // int64 [C * C + 1]: the matrix, and the number of samples out of range
};

/// Prints matrix.str().
TERN_API std::ostream& operator<<(std::ostream& out, const ConfusionMatrix& matrix);

}  // namespace tern::metrics
