#include <algorithm>
#include <limits>
#include <utility>

#include <tern/core/base/detail/op_scope.h>
#include <tern/nn/optim/detail/check_numbers.h>
#include <tern/nn/optim/schedulers/plateau.h>

namespace tern::optim {

namespace {

/// libtorch's default is an empty list.
bool is_no_bound(const PerGroup& min_lr) { return min_lr.numbers().empty(); }

std::vector<double> min_lrs_of(const PerGroup& min_lr, const Optimizer& optimizer) {
  const std::size_t groups = optimizer.param_groups().size();
  if (is_no_bound(min_lr)) return std::vector<double>(groups, 0.0);
  TERN_CHECK(!min_lr.is_list() || min_lr.numbers().size() == groups, Error,
             "ReduceLROnPlateau: expected ", groups, " min_lrs, got ", min_lr.numbers().size());
  return min_lr.expand("ReduceLROnPlateau: min_lr", optimizer);
}

}  // namespace

ReduceLROnPlateau::ReduceLROnPlateau(Optimizer& optimizer, SchedulerMode mode, double factor,
                                     std::int64_t patience, double threshold,
                                     ThresholdMode threshold_mode, std::int64_t cooldown,
                                     const PerGroup& min_lr, double eps, StrictBool verbose)
    : optimizer_(optimizer),
      mode_(mode),
      factor_(factor),
      patience_(patience),
      threshold_(threshold),
      threshold_mode_(threshold_mode),
      cooldown_(cooldown),
      min_lrs_(min_lrs_of(min_lr, optimizer)),
      has_min_lr_list_(min_lr.is_list() && !is_no_bound(min_lr)),
      eps_(eps),
      best_(mode == min ? std::numeric_limits<double>::infinity()
                        : -std::numeric_limits<double>::infinity()),
      last_lr_(optimizer_.lrs()) {
  TERN_CHECK(factor < 1.0, Error, "ReduceLROnPlateau: Factor should be < 1.0. Got ", factor);
  detail::check_not_negative("ReduceLROnPlateau", "factor", factor);
  detail::check_not_negative("ReduceLROnPlateau", "patience", static_cast<double>(patience));
  detail::check_not_negative("ReduceLROnPlateau", "threshold", threshold);
  detail::check_not_negative("ReduceLROnPlateau", "cooldown", static_cast<double>(cooldown));
  detail::check_not_negative("ReduceLROnPlateau", "eps", eps);
  TERN_CHECK(!verbose, Error,
             "ReduceLROnPlateau: verbose is not supported, because the library never prints");
}

bool ReduceLROnPlateau::is_better(double metric) const {
  if (mode_ == min) {
    return metric < (threshold_mode_ == rel ? best_ * (1.0 - threshold_) : best_ - threshold_);
  }
  return metric > (threshold_mode_ == rel ? best_ * (threshold_ + 1.0) : best_ + threshold_);
}

void ReduceLROnPlateau::step(double metric) {
  std::vector<double> lrs = optimizer_.lrs();
  if (min_lrs_.size() != lrs.size()) {  // groups were added
    TERN_CHECK(!has_min_lr_list_, Error, "The number of param groups in the `optimizer` (",
               lrs.size(), ") differs from when `ReduceLROnPlateau` was initialized (",
               min_lrs_.size(),
               "), usually due to a new param group being added to the optimizer. ",
               "Make a new scheduler with as many `min_lr` as groups");
    min_lrs_.resize(lrs.size(), min_lrs_.front());
  }
  ++last_epoch_;
  if (is_better(metric)) {
    best_ = metric;
    num_bad_epochs_ = 0;
  } else {
    ++num_bad_epochs_;
  }
  if (cooldown_counter_ > 0) {
    --cooldown_counter_;
    num_bad_epochs_ = 0;
  }
  if (num_bad_epochs_ > patience_) {
    for (std::size_t i = 0; i < lrs.size(); ++i) {
      const double reduced = std::max(lrs[i] * factor_, min_lrs_[i]);
      if (lrs[i] - reduced > eps_) lrs[i] = reduced;
    }
    optimizer_.set_lrs(lrs);
    cooldown_counter_ = cooldown_;
    num_bad_epochs_ = 0;
  }
  last_lr_ = std::move(lrs);
}

void ReduceLROnPlateau::fields(SchedulerFields& visit) {
  const auto choice = [&](const char* name, auto& value, const char* first, const char* second) {
    std::string text = value == 0 ? first : second;
    visit(name, text);
    visit.check_choice(name, {first, second});
    using Choice = std::remove_reference_t<decltype(value)>;
    if (visit.mode() == SchedulerFields::Mode::Load) value = static_cast<Choice>(text == second);
  };
  if (visit.mode() == SchedulerFields::Mode::Save) {  // Python's own, which follow from the others
    const double infinity = std::numeric_limits<double>::infinity();
    visit.state().set("default_min_lr", has_min_lr_list_ ? State(nullptr) : min_lrs_.front());
    visit.state().set("mode_worse", mode_ == min ? infinity : -infinity);
  }
  visit("factor", factor_);
  visit("min_lrs", min_lrs_);
  visit("patience", patience_);
  visit("cooldown", cooldown_);
  visit("eps", eps_);
  visit("last_epoch", last_epoch_);
  visit(Later("_last_lr"), last_lr_);
  choice("mode", mode_, "min", "max");
  visit("threshold", threshold_);
  choice("threshold_mode", threshold_mode_, "rel", "abs");
  visit("best", best_);
  visit("cooldown_counter", cooldown_counter_);
  visit("num_bad_epochs", num_bad_epochs_);
}

State ReduceLROnPlateau::state_dict() const {
  State state;
  SchedulerFields visit(state, SchedulerFields::Mode::Save);
  const_cast<ReduceLROnPlateau*>(this)->fields(visit);  // saving changes no member
  return state;
}

void ReduceLROnPlateau::load_state_dict(const State& state) {
  const tern::detail::OpScope scope("ReduceLROnPlateau::load_state_dict");
  State copy = state;
  SchedulerFields check(copy, SchedulerFields::Mode::Check);
  fields(check);
  SchedulerFields load(copy, SchedulerFields::Mode::Load);
  fields(load);
}

}  // namespace tern::optim
