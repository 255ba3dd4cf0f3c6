#include <cmath>
#include <numbers>
#include <utility>

#include <tern/nn/optim/detail/check_numbers.h>
#include <tern/nn/optim/schedulers/cosine.h>

namespace tern::optim {

namespace {

using std::numbers::pi;

/// Returns the point `done` / `total` of half a cosine from each learning rate to eta_min.
std::vector<double> cosine_lrs(std::vector<double> lrs, double eta_min, double done, double total) {
  for (double& lr : lrs) {
    lr = eta_min + (lr - eta_min) * (1 + std::cos(pi * done / total)) / 2;
  }
  return lrs;
}

}  // namespace

// --- CosineAnnealingLR ---------------------------------------------------------------------------

CosineAnnealingLR::CosineAnnealingLR(Optimizer& optimizer, std::int64_t T_max, double eta_min,
                                     std::int64_t last_epoch)
    : LRScheduler(optimizer, last_epoch), T_max_(T_max), eta_min_(eta_min) {
  detail::check_positive("CosineAnnealingLR", "T_max", T_max);
  detail::check_not_negative("CosineAnnealingLR", "eta_min", eta_min);
  initial_step();
}

std::vector<double> CosineAnnealingLR::get_lrs() {
  std::vector<double> lrs = get_current_lrs();
  if (is_initial_) return lrs;
  if (step_count_ == 1 && last_epoch_ > 0) return get_closed_form_lrs();
  const auto epoch = static_cast<double>(last_epoch_), total = static_cast<double>(T_max_);
  if ((last_epoch_ - 1 - T_max_) % (2 * T_max_) == 0) {  // the factor below would be 0 / 0
    for (std::size_t i = 0; i < lrs.size(); ++i) {
      lrs[i] += (base_lrs_[i] - eta_min_) * (1 - std::cos(pi / total)) / 2;
    }
    return lrs;
  }
  const double factor =
      (1 + std::cos(pi * epoch / total)) / (1 + std::cos(pi * (epoch - 1) / total));
  for (double& lr : lrs) lr = factor * (lr - eta_min_) + eta_min_;
  return lrs;
}

std::vector<double> CosineAnnealingLR::get_closed_form_lrs() {
  return cosine_lrs(base_lrs_, eta_min_, static_cast<double>(last_epoch_),
                    static_cast<double>(T_max_));
}

void CosineAnnealingLR::fields(SchedulerFields& visit) {
  visit("T_max", T_max_, 1);
  visit("eta_min", eta_min_);
  LRScheduler::fields(visit);
}

// --- CosineAnnealingWarmRestarts -----------------------------------------------------------------

CosineAnnealingWarmRestarts::CosineAnnealingWarmRestarts(Optimizer& optimizer, std::int64_t T_0,
                                                         std::int64_t T_mult, double eta_min,
                                                         std::int64_t last_epoch)
    : LRScheduler(optimizer, last_epoch),
      T_0_(T_0),
      T_i_(T_0),
      T_mult_(T_mult),
      eta_min_(eta_min),
      T_cur_(static_cast<double>(last_epoch)) {
  detail::check_positive("CosineAnnealingWarmRestarts", "T_0", T_0);
  TERN_CHECK(T_mult >= 1, Error,
             "CosineAnnealingWarmRestarts: Expected integer T_mult >= 1, but got ", T_mult);
  detail::check_not_negative("CosineAnnealingWarmRestarts", "eta_min", eta_min);
  initial_step();
}

void CosineAnnealingWarmRestarts::step() {
  if (last_epoch_ < 0) return step(0.0);
  const auto run = static_cast<double>(T_i_);
  if (T_cur_ + 1 < run) return go_to(last_epoch_ + 1, T_cur_ + 1, T_i_);
  go_to(last_epoch_ + 1, std::fmod(T_cur_ + 1, run), T_i_ * T_mult_);
}

void CosineAnnealingWarmRestarts::step(double epoch) {
  TERN_CHECK(epoch >= 0, Error,
             "CosineAnnealingWarmRestarts: Expected non-negative epoch, but got ", epoch);
  const auto whole = static_cast<std::int64_t>(std::floor(epoch));
  const auto first = static_cast<double>(T_0_), growth = static_cast<double>(T_mult_);
  if (epoch < first) return go_to(whole, epoch, T_0_);
  if (T_mult_ == 1) return go_to(whole, std::fmod(epoch, first), T_0_);
  const double runs = std::trunc(std::log(epoch / first * (growth - 1) + 1) / std::log(growth));
  const double length = std::pow(growth, runs);
  go_to(whole, epoch - first * (length - 1) / (growth - 1),
        T_0_ * static_cast<std::int64_t>(length));
}

void CosineAnnealingWarmRestarts::go_to(std::int64_t epoch, double current, std::int64_t run) {
  std::swap(T_cur_, current);
  std::swap(T_i_, run);
  try {
    update_lr(epoch);
  } catch (...) {
    T_cur_ = current;
    T_i_ = run;
    throw;
  }
}

std::vector<double> CosineAnnealingWarmRestarts::get_lrs() {
  return cosine_lrs(base_lrs_, eta_min_, T_cur_, static_cast<double>(T_i_));
}

void CosineAnnealingWarmRestarts::fields(SchedulerFields& visit) {
  visit("T_0", T_0_, 1);
  visit("T_i", T_i_, 1);
  visit("T_mult", T_mult_, 1);
  visit("eta_min", eta_min_);
  visit("T_cur", T_cur_);
  LRScheduler::fields(visit);
}

}  // namespace tern::optim
