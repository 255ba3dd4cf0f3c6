#include <cmath>

#include <tern/nn/optim/detail/check_numbers.h>
#include <tern/nn/optim/schedulers/ramp.h>

namespace tern::optim {

namespace {

std::vector<double> ramp_lrs(std::vector<double> lrs, double factor) {
  for (double& lr : lrs) lr *= factor;
  return lrs;
}

void check_total_iters(const char* scheduler, std::int64_t total_iters) {
  detail::check_not_negative(scheduler, "total_iters", static_cast<double>(total_iters));
}

}  // namespace

// --- ConstantLR ----------------------------------------------------------------------------------

ConstantLR::ConstantLR(Optimizer& optimizer, double factor, std::int64_t total_iters,
                       std::int64_t last_epoch)
    : LRScheduler(optimizer, last_epoch), factor_(factor), total_iters_(total_iters) {
  TERN_CHECK(factor >= 0 && factor <= 1, Error,
             "ConstantLR: Constant multiplicative factor expected to be between 0 and 1. Got ",
             factor);
  check_total_iters("ConstantLR", total_iters);
  initial_step();
}
std::vector<double> ConstantLR::get_lrs() {
  if (last_epoch_ == 0) return scaled_lrs(factor_);
  if (last_epoch_ != total_iters_) return get_current_lrs();
  return factor_ == 0 ? base_lrs_ : scaled_lrs(1.0 / factor_);
}
std::vector<double> ConstantLR::get_closed_form_lrs() {
  return ramp_lrs(base_lrs_, factor_ + (last_epoch_ >= total_iters_ ? 1 - factor_ : 0));
}
void ConstantLR::fields(SchedulerFields& visit) {
  visit("factor", factor_);
  visit("total_iters", total_iters_);
  LRScheduler::fields(visit);
}

// --- LinearLR ------------------------------------------------------------------------------------

LinearLR::LinearLR(Optimizer& optimizer, double start_factor, double end_factor,
                   std::int64_t total_iters, std::int64_t last_epoch)
    : LRScheduler(optimizer, last_epoch),
      start_factor_(start_factor),
      end_factor_(end_factor),
      total_iters_(total_iters) {
  TERN_CHECK(start_factor > 0 && start_factor <= 1, Error,
             "LinearLR: Starting multiplicative factor ",
             "expected to be greater than 0 and less or equal to 1. Got ", start_factor);
  TERN_CHECK(end_factor >= 0 && end_factor <= 1, Error,
             "LinearLR: Ending multiplicative factor expected to be between 0 and 1. Got ",
             end_factor);
  check_total_iters("LinearLR", total_iters);
  initial_step();
}
std::vector<double> LinearLR::get_lrs() {
  if (last_epoch_ == 0) return scaled_lrs(start_factor_);
  if (is_initial_ || last_epoch_ > total_iters_) return get_current_lrs();
  const double change = end_factor_ - start_factor_;
  const double before = static_cast<double>(total_iters_) * start_factor_ +
                        static_cast<double>(last_epoch_ - 1) * change;
  return scaled_lrs(1.0 + change / before);
}
std::vector<double> LinearLR::get_closed_form_lrs() {
  if (last_epoch_ >= total_iters_) return ramp_lrs(base_lrs_, end_factor_);
  const auto steps = static_cast<double>(last_epoch_);
  return ramp_lrs(base_lrs_, start_factor_ + (end_factor_ - start_factor_) * steps /
                                                 static_cast<double>(total_iters_));
}
void LinearLR::fields(SchedulerFields& visit) {
  visit("start_factor", start_factor_);
  visit("end_factor", end_factor_);
  visit("total_iters", total_iters_);
  LRScheduler::fields(visit);
}

// --- PolynomialLR --------------------------------------------------------------------------------

PolynomialLR::PolynomialLR(Optimizer& optimizer, std::int64_t total_iters, double power,
                           std::int64_t last_epoch)
    : LRScheduler(optimizer, last_epoch), total_iters_(total_iters), power_(power) {
  check_total_iters("PolynomialLR", total_iters);
  detail::check_not_negative("PolynomialLR", "power", power);
  initial_step();
}
std::vector<double> PolynomialLR::get_lrs() {
  if (is_initial_ || last_epoch_ > total_iters_) return get_current_lrs();
  const auto total = static_cast<double>(total_iters_);
  const double now = 1.0 - static_cast<double>(last_epoch_) / total;
  const double before = 1.0 - static_cast<double>(last_epoch_ - 1) / total;
  return scaled_lrs(std::pow(now / before, power_));
}
std::vector<double> PolynomialLR::get_closed_form_lrs() {
  if (last_epoch_ >= total_iters_) return ramp_lrs(base_lrs_, 0);
  const double rest = 1.0 - static_cast<double>(last_epoch_) / static_cast<double>(total_iters_);
  return ramp_lrs(base_lrs_, std::pow(rest, power_));
}
void PolynomialLR::fields(SchedulerFields& visit) {
  visit("total_iters", total_iters_);
  visit("power", power_);
  LRScheduler::fields(visit);
}

}  // namespace tern::optim
