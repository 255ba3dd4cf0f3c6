#include <algorithm>
#include <utility>

#include <tern/core/base/detail/type_name.h>
#include <tern/nn/optim/detail/check_numbers.h>
#include <tern/nn/optim/schedulers/cosine.h>
#include <tern/nn/optim/schedulers/ramp.h>
#include <tern/nn/optim/schedulers/sequence.h>

namespace tern::optim {

namespace {

using tern::detail::type_name;

/// Returns the list. Throws Error if it is empty, has an empty pointer or several optimizers.
/// `optimizer` is null for the optimizer of the first scheduler.
LRSchedulerList checked_schedulers(const char* name, const Optimizer* optimizer,
                                   LRSchedulerList schedulers) {
  TERN_CHECK(!schedulers.empty(), Error, name,
             " expects at least one scheduler, but got no scheduler.");
  for (std::size_t i = 0; i < schedulers.size(); ++i) {
    TERN_CHECK(schedulers[i] != nullptr, Error, name, " got no scheduler at index ", i);
    TERN_CHECK(std::ranges::count(schedulers, schedulers[i]) == 1, Error, name,
               " got the scheduler at index ", i, " twice");
    const Optimizer& own = schedulers[i]->optimizer();
    if (optimizer == nullptr) optimizer = &own;
    TERN_CHECK(optimizer == &own, Error, name,
               " expects all schedulers to belong to the same optimizer, but got scheduler ",
               type_name(typeid(*schedulers[i])), " at index ", i, " has ", type_name(typeid(own)),
               ", which is different from ", type_name(typeid(*optimizer)), ".");
  }
  return schedulers;
}

/// Saves or loads the states of several schedulers. `visit_one(scheduler, fields)` visits one.
template <class Visit>
void visit_schedulers(SchedulerFields& visit, const LRSchedulerList& schedulers,
                      const Visit& visit_one) {
  if (visit.mode() == SchedulerFields::Mode::Save) {
    State states = State::list();
    for (const auto& scheduler : schedulers) states.push_back(scheduler->state_dict());
    return visit.state().set("_schedulers", std::move(states));
  }
  const std::vector<State> states = visit.state()["_schedulers"].elements();
  TERN_CHECK(states.size() == schedulers.size(), Error, "loaded state dict has ", states.size(),
             " schedulers in _schedulers, expected ", schedulers.size());
  for (std::size_t i = 0; i < states.size(); ++i) {
    State state = states[i];
    SchedulerFields fields(state, visit.mode());
    visit_one(*schedulers[i], fields);
  }
}

}  // namespace

// --- SequentialLR --------------------------------------------------------------------------------

SequentialLR::SequentialLR(Optimizer& optimizer, LRSchedulerList schedulers,
                           std::vector<std::int64_t> milestones, std::int64_t last_epoch)
    : LRScheduler(optimizer, last_epoch),
      schedulers_(checked_schedulers("SequentialLR", &optimizer, std::move(schedulers))),
      milestones_(std::move(milestones)) {
  TERN_CHECK(milestones_.size() + 1 == schedulers_.size(), Error,
             "SequentialLR: Sequential Schedulers expects number of schedulers provided to be one "
             "more than the number of milestone points, but got number of schedulers ",
             schedulers_.size(), " and the number of milestones to be equal to ",
             milestones_.size());
  TERN_CHECK(std::is_sorted(milestones_.begin(), milestones_.end()), Error,
             "SequentialLR expects milestones in ascending order");
  if (!milestones_.empty()) {
    detail::check_not_negative("SequentialLR", "the first milestone",
                               static_cast<double>(milestones_[0]));
  }
  for (std::size_t i = 1; i < schedulers_.size(); ++i) {
    const LRScheduler& scheduler = *schedulers_[i];
    TERN_CHECK(dynamic_cast<const SequentialLR*>(&scheduler) == nullptr &&
                   dynamic_cast<const ChainedScheduler*>(&scheduler) == nullptr,
               Error, "SequentialLR cannot start ", type_name(typeid(scheduler)),
               " at a milestone; it must be the first scheduler, but is at index ", i);
  }
  last_epoch_ = last_epoch + 1;
  for (OptimizerParamGroup& group : optimizer.param_groups()) {
    group.options().set_lr(group.schedule().get<double>("initial_lr"));
  }
  SequentialLR::undo_initial_step();
  LRScheduler& first = *schedulers_[index_of(0)];
  first.initial_step();
  last_lr_ = first.get_last_lr();
}

std::size_t SequentialLR::index_of(std::int64_t epoch) const {
  return static_cast<std::size_t>(std::upper_bound(milestones_.begin(), milestones_.end(), epoch) -
                                  milestones_.begin());
}

void SequentialLR::undo_initial_step() {
  for (const auto& scheduler : schedulers_) scheduler->undo_initial_step();
}

void SequentialLR::step() {
  const std::size_t index = index_of(last_epoch_ + 1);
  LRScheduler& scheduler = *schedulers_[index];
  if (index > 0 && milestones_[index - 1] == last_epoch_ + 1) {
    scheduler.update_lr(0);
  } else {
    scheduler.step();
  }
  ++last_epoch_;
  last_lr_ = scheduler.get_last_lr();
}

std::vector<double> SequentialLR::get_lrs() { return get_current_lrs(); }

void SequentialLR::fields(SchedulerFields& visit) {
  if (visit.mode() == SchedulerFields::Mode::Save) {
    visit.state().set("_milestones", State::list({milestones_.begin(), milestones_.end()}));
  } else {
    std::vector<std::int64_t> milestones;
    for (const State& milestone : visit.state()["_milestones"].elements()) {
      milestones.push_back(milestone.to<std::int64_t>("_milestones"));
    }
    TERN_CHECK(milestones.size() == milestones_.size(), Error, "loaded state dict has ",
               milestones.size(), " milestones, expected ", milestones_.size());
    if (visit.mode() == SchedulerFields::Mode::Load) milestones_ = std::move(milestones);
  }
  visit("last_epoch", last_epoch_);
  visit(Later("_last_lr"), last_lr_);
  visit_schedulers(visit, schedulers_, [](LRScheduler& one, SchedulerFields& f) { one.fields(f); });
}

// --- ChainedScheduler ----------------------------------------------------------------------------

ChainedScheduler::ChainedScheduler(LRSchedulerList schedulers)
    : LRScheduler(checked_schedulers("ChainedScheduler", nullptr, schedulers)[0]->optimizer()),
      schedulers_(std::move(schedulers)) {}

void ChainedScheduler::undo_initial_step() {
  for (const auto& scheduler : schedulers_) scheduler->undo_initial_step();
}

void ChainedScheduler::step() {
  for (const auto& scheduler : schedulers_) scheduler->step();
  last_lr_ = get_current_lrs();
}

std::vector<double> ChainedScheduler::get_lrs() { return get_current_lrs(); }

void ChainedScheduler::fields(SchedulerFields& visit) {
  visit(Later("_last_lr"), last_lr_);
  visit_schedulers(visit, schedulers_, [](LRScheduler& one, SchedulerFields& f) { one.fields(f); });
}

// --- Warm-up -------------------------------------------------------------------------------------

SequentialLR warmup_cosine(Optimizer& optimizer, std::int64_t warmup_steps,
                           std::int64_t total_steps, double eta_min) {
  TERN_CHECK(warmup_steps >= 0 && warmup_steps < total_steps, Error,
             "warmup_cosine expects warmup_steps from 0 to below total_steps, but got ",
             warmup_steps, " and ", total_steps);
  const auto rising = std::max<std::int64_t>(warmup_steps, 1);
  return SequentialLR(
      optimizer,
      {std::make_shared<LinearLR>(optimizer, 1.0 / static_cast<double>(rising), 1.0, rising - 1),
       std::make_shared<CosineAnnealingLR>(optimizer, total_steps - warmup_steps, eta_min)},
      {warmup_steps});
}

}  // namespace tern::optim
