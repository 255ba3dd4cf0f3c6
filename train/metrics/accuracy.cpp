#include <tern/train/metrics/accuracy.h>

#include <cmath>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/ops/ops.h>
#include <tern/train/metrics/detail/class_batch.h>
#include <tern/train/metrics/detail/sums.h>

namespace tern::metrics {
namespace {

constexpr const char* kAccuracy = "Accuracy";
constexpr std::int64_t kAccuracySums = 3;

/// Returns true where the target's score is one of the k largest. Counts the classes before the
/// target's, because topk() leaves the order of equal scores open on some devices.
Tensor among_largest(const Tensor& scores, const Tensor& target, std::int64_t k) {
  const Tensor column = target.unsqueeze(1);
  const Tensor own = scores.gather(1, column);
  const Tensor classes = arange(scores.size(1), column.options());
  const Tensor larger = (scores <= own).logical_not();  // also if one of the two is NaN
  const Tensor equal_before = (scores == own).logical_and(classes < column);
  return larger.logical_or(equal_before).sum(1) < k;
}

}  // namespace

Accuracy::Accuracy(const AccuracyOptions& options) : options_(options) {
  TERN_CHECK(options_.top_k() > 0, Error, "Accuracy: top_k must be positive, got ",
             options_.top_k());
  TERN_CHECK(!std::isnan(options_.threshold()), Error, "Accuracy: the threshold is NaN");
}

void Accuracy::update(const Tensor& input, const Tensor& target) {
  const NoGradGuard no_grad;
  const detail::ClassBatch batch = detail::read_batch(
      input, target, {kAccuracy, std::nullopt, options_.ignore_index(), options_.threshold()});
  const std::int64_t k = options_.top_k();
  TERN_CHECK(k == 1 || batch.scores.defined(), ShapeError, "Accuracy: top_k ", k,
             " needs scores of classes, got input of the target's sizes ", target.sizes());
  TERN_CHECK(k == 1 || k <= batch.scores.size(1), ShapeError, "Accuracy: top_k ", k,
             " is more than the number of classes, ", batch.scores.size(1));
  const Tensor right = k == 1 ? detail::predictions(batch) == batch.target
                              : among_largest(batch.scores, batch.target, k);
  detail::add_to(
      sums_, stack({right.logical_and(batch.counted).sum(), batch.counted.sum(), batch.invalid}));
}

Tensor Accuracy::compute() const {
  const auto sums = detail::on_host(sums_, kAccuracySums).to_vector<std::int64_t>();
  detail::check_none_invalid(sums[2], kAccuracy);
  return detail::number(static_cast<double>(sums[0]) / static_cast<double>(sums[1]));
}

void Accuracy::reset() { sums_ = {}; }

State Accuracy::state_dict() const {
  State state;
  state.insert(detail::kSums, detail::on_host(sums_, kAccuracySums));
  return state;
}

void Accuracy::load_state_dict(const State& state) {
  sums_ = detail::loaded_sums(state, kAccuracy, kAccuracySums);
}

}  // namespace tern::metrics
