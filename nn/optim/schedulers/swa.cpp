#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <tern/nn/optim/schedulers/swa.h>

namespace tern::optim {

SWALR::SWALR(Optimizer& optimizer, const PerGroup& swa_lr, std::int64_t anneal_epochs,
             std::string anneal_strategy, std::int64_t last_epoch)
    : LRScheduler(optimizer, last_epoch),
      anneal_epochs_(anneal_epochs),
      anneal_strategy_(std::move(anneal_strategy)) {
  const std::vector<double> swa_lrs = swa_lr.expand("SWALR: swa_lr", optimizer);
  TERN_CHECK(anneal_strategy_ == "cos" || anneal_strategy_ == "linear", Error,
             "SWALR: anneal_strategy must be one of 'cos' or 'linear', instead got ",
             anneal_strategy_);
  TERN_CHECK(anneal_epochs >= 0, Error,
             "SWALR: anneal_epochs must be equal or greater than 0, got ", anneal_epochs);
  for (std::size_t i = 0; i < swa_lrs.size(); ++i) {
    optimizer.param_groups()[i].schedule().set("swa_lr", swa_lrs[i]);
  }
  initial_step();
}

/// Returns the share of swa_lr in the learning rate after a number of steps, from 0 to 1.
double SWALR::share_after(std::int64_t step) const {
  const auto epochs = static_cast<double>(std::max<std::int64_t>(1, anneal_epochs_));
  const double t = std::clamp(static_cast<double>(step) / epochs, 0.0, 1.0);
  return anneal_strategy_ == "linear" ? t : (1 - std::cos(std::numbers::pi * t)) / 2;
}

std::vector<double> SWALR::get_lrs() {
  // Without epochs, already the constructor sets swa_lr.
  const std::int64_t step = std::max<std::int64_t>(anneal_epochs_ == 0 ? 1 : 0, step_count_ - 1);
  const double before = share_after(step - 1), now = share_after(step);
  std::vector<double> lrs = get_current_lrs();
  for (std::size_t i = 0; i < lrs.size(); ++i) {
    const auto swa_lr = optimizer().param_groups()[i].schedule().get<double>("swa_lr");
    const double start = before == 1 ? swa_lr : (lrs[i] - before * swa_lr) / (1 - before);
    lrs[i] = swa_lr * now + start * (1 - now);
  }
  return lrs;
}

void SWALR::fields(SchedulerFields& visit) {
  visit.check_choice("_anneal_strategy", {"cos", "linear"});
  visit("anneal_epochs", anneal_epochs_, 0);
  visit(Later("_anneal_strategy"), anneal_strategy_);
  LRScheduler::fields(visit);
}

}  // namespace tern::optim
