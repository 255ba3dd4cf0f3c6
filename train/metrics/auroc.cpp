#include <tern/train/metrics/auroc.h>

#include <limits>
#include <tuple>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/ops/ops.h>
#include <tern/train/metrics/detail/class_batch.h>
#include <tern/train/metrics/detail/sums.h>

namespace tern::metrics {
namespace {

constexpr const char* kAuroc = "AUROC";
constexpr double kNoArea = std::numeric_limits<double>::quiet_NaN();

/// Returns the area for samples in the order of their scores. Each pair of a positive and a
/// negative sample counts 2 if the positive one has the larger score, 1 if the scores are equal.
double area_of(const std::vector<double>& scores, const std::vector<std::int64_t>& positive) {
  double pairs = 0, positives = 0, negatives = 0;
  for (std::size_t i = 0; i < scores.size();) {
    double equal_positives = 0, equal_negatives = 0;
    std::size_t j = i;
    for (; j < scores.size() && scores[j] == scores[i]; ++j) {
      (positive[j] != 0 ? equal_positives : equal_negatives) += 1;
    }
    pairs += equal_positives * (2 * negatives + equal_negatives);
    positives += equal_positives;
    negatives += equal_negatives;
    i = j;
  }
  return positives > 0 && negatives > 0 ? pairs / (2 * positives * negatives) : kNoArea;
}

/// Returns the area for scores [N] and targets [N], 1 for samples of the class and 0 for others.
double area_of_class(const Tensor& scores, const Tensor& positive) {
  const std::tuple<Tensor, Tensor> sorted = scores.sort();
  return area_of(std::get<0>(sorted).to_vector<double>(),
                 positive.index_select(0, std::get<1>(sorted)).to_vector<std::int64_t>());
}

Tensor joined(const std::vector<Tensor>& parts) {
  std::vector<Tensor> on_cpu;
  on_cpu.reserve(parts.size());
  for (const Tensor& part : parts) on_cpu.push_back(part.cpu());
  return cat(on_cpu);
}

}  // namespace

AUROC::AUROC() = default;

AUROC::AUROC(StrictInt num_classes, Average average) : columns_(num_classes), average_(average) {
  TERN_CHECK(columns_ >= 2, Error, "AUROC: the number of classes must be at least 2, got ",
             columns_);
  TERN_CHECK(average == Average::Macro || average == Average::Weighted || average == Average::None,
             Error, "AUROC: the average must be Macro, Weighted or None");
}

void AUROC::update(const Tensor& input, const Tensor& target) {
  const NoGradGuard no_grad;
  TERN_CHECK(input.defined() && target.defined(), Error,
             "AUROC: expected two tensors, got an undefined ",
             input.defined() ? "target" : "input");
  TERN_CHECK(input.is_floating_point(), DTypeError,
             "AUROC: scores must have a floating dtype, got ", input.scalar_type());
  TERN_CHECK(!target.is_floating_point(), DTypeError,
             "AUROC: targets must be classes of an integer dtype, got ", target.scalar_type());
  const bool fits = columns_ == 1 ? input.sizes() == target.sizes()
                                  : input.dim() == target.dim() + 1 && input.dim() > 1;
  TERN_CHECK(fits, ShapeError, "AUROC: expected ",
             columns_ == 1 ? "scores and targets of equal sizes" : "scores [N, C] with targets [N]",
             ", got ", input.sizes(), " and ", target.sizes());
  const detail::ClassBatch batch =
      detail::read_batch(input, target, {kAuroc, columns_ == 1 ? 2 : columns_, std::nullopt});
  // clone(): the caller may overwrite the scores.
  Tensor scores = (columns_ == 1 ? input.detach().reshape({-1, 1}) : batch.scores).clone();
  // A target out of range becomes -1, which compute() reports.
  Tensor targets = where(batch.counted, batch.target, -1);
  targets_.reserve(targets_.size() + 1);
  scores_.push_back(std::move(scores));
  targets_.push_back(std::move(targets));
}

Tensor AUROC::all_scores() const {
  return scores_.empty() ? zeros({0, columns_}) : joined(scores_).detach();
}

Tensor AUROC::all_targets() const {
  return targets_.empty() ? zeros({0}, kLong) : joined(targets_);
}

Tensor AUROC::compute() const {
  const NoGradGuard no_grad;
  const Tensor scores = all_scores().to(kDouble);
  const Tensor targets = all_targets();
  detail::check_none_invalid((targets < 0).sum().item<std::int64_t>(), kAuroc);
  const auto nans = scores.isnan().sum().item<std::int64_t>();
  TERN_CHECK(nans == 0, Error, "AUROC: ", nans, " of ", scores.numel(), " scores are NaN");
  std::vector<double> areas;
  double sum = 0, weights = 0;
  for (std::int64_t c = 0; c < columns_; ++c) {
    const Tensor positive = (targets == (columns_ == 1 ? 1 : c)).to(kLong);
    areas.push_back(area_of_class(scores.select(1, c), positive));
    if (areas.back() != areas.back()) continue;
    const double weight = average_ == Average::Weighted
                              ? static_cast<double>(positive.sum().item<std::int64_t>())
                              : 1.0;
    sum += weight * areas.back();
    weights += weight;
  }
  return average_ == Average::None ? tensor(areas, kDouble) : detail::number(sum / weights);
}

void AUROC::all_reduce(const distributed::ProcessGroup& group) {
  const Tensor scores = all_scores().cpu().to(kDouble), targets = all_targets().cpu();
  const Tensor count = tensor({targets.numel()}, kLong), most = count.clone();
  group.all_reduce(most, distributed::ReduceOp::kMax);
  const std::int64_t rest = most.item<std::int64_t>() - targets.numel();
  const std::vector<Tensor> counts = group.all_gather(count);
  std::vector<Tensor> all_scores =
      group.all_gather(cat({scores, scores.new_zeros({rest, columns_})}));
  std::vector<Tensor> all_targets = group.all_gather(cat({targets, targets.new_zeros({rest})}));
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    const auto rows = counts[rank].item<std::int64_t>();
    all_scores[rank] = all_scores[rank].narrow(0, 0, rows);
    all_targets[rank] = all_targets[rank].narrow(0, 0, rows);
  }
  scores_ = {cat(all_scores)};
  targets_ = {cat(all_targets)};
}

void AUROC::reset() {
  scores_.clear();
  targets_.clear();
}

State AUROC::state_dict() const {
  State state;
  state.insert("scores", all_scores());
  state.insert("targets", all_targets());
  return state;
}

void AUROC::load_state_dict(const State& state) {
  const Tensor scores = state["scores"].to<Tensor>("scores");
  const Tensor targets = state["targets"].to<Tensor>("targets");
  TERN_CHECK(scores.is_floating_point() && targets.dtype() == kLong, DTypeError,
             "AUROC: expected floating scores and int64 targets, got ", scores.scalar_type(),
             " and ", targets.scalar_type());
  TERN_CHECK(scores.dim() == 2 && scores.size(1) == columns_ && targets.dim() == 1 &&
                 scores.size(0) == targets.size(0),
             ShapeError, "AUROC: expected scores [N, ", columns_, "] and targets [N], got ",
             scores.sizes(), " and ", targets.sizes());
  std::vector<Tensor> new_scores = {scores.detach().clone()};
  std::vector<Tensor> new_targets = {targets.clone()};
  scores_ = std::move(new_scores);
  targets_ = std::move(new_targets);
}

}  // namespace tern::metrics
