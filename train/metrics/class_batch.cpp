#include <tern/train/metrics/detail/class_batch.h>

#include <tern/core/ops/ops.h>

namespace tern::metrics::detail {
namespace {

bool fits_scores(const Tensor& input, const Tensor& target) {
  if (input.dim() != target.dim() + 1) return false;
  const std::int64_t class_dim = input.dim() == 1 ? 0 : 1;
  for (std::int64_t i = 0, j = 0; i < input.dim(); ++i) {
    if (i != class_dim && input.size(i) != target.size(j++)) return false;
  }
  return true;
}

Tensor flat_scores(const Tensor& input) {
  const std::int64_t class_dim = input.dim() == 1 ? 0 : 1;
  const std::int64_t classes = input.size(class_dim);
  return input.movedim({class_dim}, {-1}).reshape({input.numel() / classes, classes});
}

/// Returns true where a class is less than 0 or at least `classes`.
Tensor out_of_range(const Tensor& classes, std::int64_t count) {
  return (classes < 0).logical_or(classes >= count);
}

/// Throws for the first class out of range.
void refuse(const char* metric, const char* what, const Tensor& values, const Tensor& wrong,
            std::int64_t classes) {
  const auto first = wrong.to(kLong).argmax().item<std::int64_t>();
  tern::detail::raise<IndexError>(metric, ": ", what, " ", values[first].item<std::int64_t>(),
                                  " is out of bounds. A class is at least 0 and less than ",
                                  classes, ", the number of classes.");
}

}  // namespace

ClassBatch read_batch(const Tensor& input, const Tensor& target, const ClassRule& rule) {
  const char* const metric = rule.metric;
  TERN_CHECK(input.defined() && target.defined(), Error, metric,
             ": expected two tensors, got an undefined ", input.defined() ? "target" : "input");
  ClassBatch batch;
  std::optional<std::int64_t> classes = rule.num_classes;
  const bool same_sizes = input.sizes() == target.sizes();
  TERN_CHECK(same_sizes || fits_scores(input, target), ShapeError, metric,
             ": expected scores [N, C] or [N, C, d1, ..] with targets [N] or [N, d1, ..], or two "
             "tensors of equal sizes, got ",
             input.sizes(), " and ", target.sizes());
  if (!same_sizes) {
    const std::int64_t given = input.size(input.dim() == 1 ? 0 : 1);
    TERN_CHECK(input.is_floating_point(), DTypeError, metric,
               ": scores must have a floating dtype, got ", input.scalar_type());
    TERN_CHECK(given > 1, ShapeError, metric, ": scores ", input.sizes(),
               " have fewer than 2 classes; probabilities of class 1 need the target's sizes ",
               target.sizes());
    TERN_CHECK(!classes || given == *classes, ShapeError, metric, ": expected scores of ",
               classes.value_or(0), " classes, got ", given, " in sizes ", input.sizes());
    classes = given;
    batch.scores = flat_scores(input.detach());
  } else if (input.is_floating_point()) {
    TERN_CHECK(!classes || *classes == 2, ShapeError, metric, ": expected scores [N, ",
               classes.value_or(0), "], got sizes ", input.sizes(),
               ", which would be probabilities of 2 classes");
    classes = 2;
    batch.prediction = (input.detach() >= rule.threshold).to(kLong).reshape({-1});
  } else {
    batch.prediction = input.to(kLong).reshape({-1});
  }
  const bool soft = same_sizes && input.is_floating_point() && target.is_floating_point();
  TERN_CHECK(soft || !target.is_floating_point(), DTypeError, metric,
             ": targets must be classes of an integer dtype, got ", target.scalar_type());
  batch.target = (soft ? target.detach() >= 0.5 : target).to(kLong).reshape({-1});

  batch.counted = rule.ignore_index
                      ? batch.target != *rule.ignore_index
                      : ones(batch.target.sizes(), batch.target.options().dtype(kBool));
  Tensor wrong = zeros(batch.target.sizes(), batch.counted.options());
  const auto mark = [&](const Tensor& values, const char* what) {
    if (!classes) return;
    const Tensor bad = out_of_range(values, *classes).logical_and(batch.counted);
    if (bad.is_cpu() && bad.any().item<bool>()) refuse(metric, what, values, bad, *classes);
    wrong = wrong.logical_or(bad);
  };
  mark(batch.target, "target");
  if (same_sizes && !input.is_floating_point()) mark(batch.prediction, "prediction");
  batch.invalid = wrong.sum();
  batch.counted = batch.counted.logical_and(wrong.logical_not());
  batch.target = where(batch.counted, batch.target, 0);
  return batch;
}

Tensor predictions(const ClassBatch& batch) {
  return batch.scores.defined() ? batch.scores.argmax(1) : batch.prediction;
}

void check_none_invalid(std::int64_t invalid, const char* metric) {
  TERN_CHECK(invalid == 0, IndexError, metric, ": ", invalid,
             " targets or predictions were out of bounds: a class is at least 0 and less than the "
             "number of classes");
}

}  // namespace tern::metrics::detail
