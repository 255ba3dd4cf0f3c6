#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string>

#include <tern/nn/optim/detail/check_numbers.h>
#include <tern/nn/optim/schedulers/decay.h>

namespace tern::optim {

namespace {

std::vector<double> decayed(std::vector<double> lrs, double gamma, std::int64_t times) {
  for (double& lr : lrs) lr *= std::pow(gamma, static_cast<double>(times));
  return lrs;
}

}  // namespace

// --- StepLR --------------------------------------------------------------------------------------

StepLR::StepLR(Optimizer& optimizer, std::int64_t step_size, double gamma, std::int64_t last_epoch)
    : LRScheduler(optimizer, last_epoch), step_size_(step_size), gamma_(gamma) {
  detail::check_positive("StepLR", "step_size", step_size);
  detail::check_not_negative("StepLR", "gamma", gamma);
  initial_step();
}
std::vector<double> StepLR::get_lrs() {
  if (last_epoch_ == 0 || last_epoch_ % step_size_ != 0) return get_current_lrs();
  return scaled_lrs(gamma_);
}
std::vector<double> StepLR::get_closed_form_lrs() {
  return decayed(base_lrs_, gamma_, last_epoch_ / step_size_);
}
void StepLR::fields(SchedulerFields& visit) {
  visit("step_size", step_size_, 1);
  visit("gamma", gamma_);
  LRScheduler::fields(visit);
}

// --- MultiStepLR ---------------------------------------------------------------------------------

namespace {

using MilestoneCounts = std::map<std::int64_t, std::int64_t>;

void store(const MilestoneCounts& source, std::vector<std::int64_t>& milestones,
           std::vector<std::int64_t>& counts) {
  milestones.clear();
  counts.clear();
  for (const auto& [milestone, count] : source) {
    milestones.push_back(milestone);
    counts.push_back(count);
  }
}

}  // namespace

MultiStepLR::MultiStepLR(Optimizer& optimizer, const std::vector<std::int64_t>& milestones,
                         double gamma, std::int64_t last_epoch)
    : LRScheduler(optimizer, last_epoch), gamma_(gamma) {
  MilestoneCounts given;
  for (const std::int64_t milestone : milestones) {
    detail::check_not_negative("MultiStepLR", "a milestone", static_cast<double>(milestone));
    ++given[milestone];
  }
  detail::check_not_negative("MultiStepLR", "gamma", gamma);
  store(given, milestones_, counts_);
  initial_step();
}
std::vector<double> MultiStepLR::get_lrs() {
  const auto found = std::lower_bound(milestones_.begin(), milestones_.end(), last_epoch_);
  if (found == milestones_.end() || *found != last_epoch_) return get_current_lrs();
  return decayed(get_current_lrs(), gamma_,
                 counts_[static_cast<std::size_t>(found - milestones_.begin())]);
}
std::vector<double> MultiStepLR::get_closed_form_lrs() {
  std::int64_t times = 0;
  for (std::size_t i = 0; i < milestones_.size() && milestones_[i] <= last_epoch_; ++i) {
    times += counts_[i];
  }
  return decayed(base_lrs_, gamma_, times);
}
void MultiStepLR::fields(SchedulerFields& visit) {
  if (visit.mode() == SchedulerFields::Mode::Save) {
    State saved;
    for (std::size_t i = 0; i < milestones_.size(); ++i) {
      saved.set(std::to_string(milestones_[i]), counts_[i]);
    }
    visit.state().set("milestones", std::move(saved));
  } else {
    MilestoneCounts loaded;
    const State& saved = visit.state()["milestones"];
    if (saved.is_list()) {  // before PyTorch 1.4
      for (const State& milestone : saved.elements()) {
        ++loaded[milestone.to<std::int64_t>("milestones")];
      }
    }
    for (const auto& [key, count] : saved.is_list() ? State() : saved) {
      std::int64_t milestone = 0;
      const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), milestone);
      TERN_CHECK(error == std::errc() && end == key.data() + key.size(), Error,
                 "loaded state dict has the milestone '", key, "', expected an integer");
      const auto times = count.to<std::int64_t>("milestones");
      TERN_CHECK(times > 0, Error, "loaded state dict has the milestone ", milestone, ' ', times,
                 " times, expected at least once");
      loaded[milestone] = times;
    }
    if (visit.mode() == SchedulerFields::Mode::Load) store(loaded, milestones_, counts_);
  }
  visit("gamma", gamma_);
  LRScheduler::fields(visit);
}

// --- ExponentialLR -------------------------------------------------------------------------------

ExponentialLR::ExponentialLR(Optimizer& optimizer, double gamma, std::int64_t last_epoch)
    : LRScheduler(optimizer, last_epoch), gamma_(gamma) {
  detail::check_not_negative("ExponentialLR", "gamma", gamma);
  initial_step();
}
std::vector<double> ExponentialLR::get_lrs() {
  return is_initial_ ? get_current_lrs() : scaled_lrs(gamma_);
}
std::vector<double> ExponentialLR::get_closed_form_lrs() {
  return decayed(base_lrs_, gamma_, last_epoch_);
}
void ExponentialLR::fields(SchedulerFields& visit) {
  visit("gamma", gamma_);
  LRScheduler::fields(visit);
}

}  // namespace tern::optim
