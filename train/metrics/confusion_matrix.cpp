#include <tern/train/metrics/confusion_matrix.h>

#include <cmath>
#include <limits>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/ops/ops.h>
#include <tern/train/metrics/detail/class_batch.h>
#include <tern/train/metrics/detail/sums.h>

namespace tern::metrics {
namespace {

constexpr const char* kConfusionMatrix = "ConfusionMatrix";

/// Returns a / b, and 0 where b is 0.
Tensor quotient_or_0(const Tensor& a, const Tensor& b) {
  return where(b == 0, 0.0, a.to(kDouble) / b.to(kDouble));
}

/// The counts of each class, int64 [C].
struct ClassCounts {
  explicit ClassCounts(const Tensor& matrix)
      : right(matrix.diagonal()), predicted(matrix.sum(0)), targets(matrix.sum(1)) {}

  Tensor right, predicted, targets;
};

/// Returns the average of the quotients a / b of all classes.
Tensor averaged(const ClassCounts& counts, const Tensor& a, const Tensor& b, Average average) {
  if (average == Average::Micro) return a.sum().to(kDouble) / b.sum().to(kDouble);
  Tensor values = quotient_or_0(a, b);
  if (average == Average::None) return values;
  if (average == Average::Binary) {
    TERN_CHECK(values.numel() == 2, Error, "ConfusionMatrix: Average::Binary needs 2 classes, got ",
               values.numel());
    const Tensor any = counts.targets.sum();
    return where(any == 0, detail::number(std::numeric_limits<double>::quiet_NaN()), values[1]);
  }
  const Tensor weights =
      average == Average::Macro ? (counts.targets + counts.predicted > 0) : counts.targets;
  return (values * weights).sum() / weights.sum().to(kDouble);
}

}  // namespace

ConfusionMatrix::ConfusionMatrix(StrictInt num_classes, const ConfusionMatrixOptions& options)
    : num_classes_(num_classes), options_(options) {
  constexpr std::int64_t kMostClasses = 1 << 20;
  TERN_CHECK(num_classes_ >= 2 && num_classes_ <= kMostClasses, Error,
             "ConfusionMatrix: the number of classes must be 2 to ", kMostClasses, ", got ",
             num_classes_);
  TERN_CHECK(!std::isnan(options_.threshold()), Error, "ConfusionMatrix: the threshold is NaN");
}

void ConfusionMatrix::update(const Tensor& input, const Tensor& target) {
  const NoGradGuard no_grad;
  const detail::ClassBatch batch = detail::read_batch(
      input, target,
      {kConfusionMatrix, num_classes_, options_.ignore_index(), options_.threshold()});
  // Samples that do not count go to an element behind the matrix, which is then overwritten.
  const std::int64_t last = num_classes_ * num_classes_;
  const Tensor index =
      where(batch.counted, batch.target * num_classes_ + detail::predictions(batch), last);
  Tensor amounts = zeros({last + 1}, batch.target.options());
  amounts.scatter_add_(0, index, ones(index.sizes(), index.options()));
  amounts[last].copy_(batch.invalid);
  detail::add_to(sums_, amounts);
}

Tensor ConfusionMatrix::compute() const {
  const std::int64_t last = num_classes_ * num_classes_;
  const Tensor sums = detail::on_host(sums_, last + 1);
  detail::check_none_invalid(sums[last].item<std::int64_t>(), kConfusionMatrix);
  return sums.slice(0, 0, last).reshape({num_classes_, num_classes_}).clone();
}

void ConfusionMatrix::reset() { sums_ = {}; }

State ConfusionMatrix::state_dict() const {
  State state;
  state.insert(detail::kSums, detail::on_host(sums_, num_classes_ * num_classes_ + 1));
  return state;
}

void ConfusionMatrix::load_state_dict(const State& state) {
  sums_ = detail::loaded_sums(state, kConfusionMatrix, num_classes_ * num_classes_ + 1);
}

Tensor ConfusionMatrix::normalized(Normalize by) const {
  const Tensor matrix = compute();
  switch (by) {
    case Normalize::Target:
      return quotient_or_0(matrix, matrix.sum(1, true));
    case Normalize::Prediction:
      return quotient_or_0(matrix, matrix.sum(0, true));
    case Normalize::All:
      break;
  }
  return quotient_or_0(matrix, matrix.sum());
}

Tensor ConfusionMatrix::accuracy() const {
  const Tensor matrix = compute();
  return matrix.diagonal().sum().to(kDouble) / matrix.sum().to(kDouble);
}

Tensor ConfusionMatrix::precision(Average average) const {
  const ClassCounts counts(compute());
  return averaged(counts, counts.right, counts.predicted, average);
}

Tensor ConfusionMatrix::recall(Average average) const {
  const ClassCounts counts(compute());
  return averaged(counts, counts.right, counts.targets, average);
}

Tensor ConfusionMatrix::f1(Average average) const {
  const ClassCounts counts(compute());
  return averaged(counts, 2 * counts.right, counts.predicted + counts.targets, average);
}

Tensor ConfusionMatrix::iou(Average average) const {
  const ClassCounts counts(compute());
  const std::int64_t ignored = options_.ignore_index().value_or(-1);
  if (ignored >= 0 && ignored < num_classes_) counts.predicted[ignored].zero_();
  return averaged(counts, counts.right, counts.predicted + counts.targets - counts.right, average);
}

}  // namespace tern::metrics
