#include <cmath>
#include <string_view>

#include <tern/core/base/detail/op_scope.h>
#include <tern/core/base/detail/type_name.h>
#include <tern/nn/optim/schedulers/scheduler.h>

namespace tern::optim {

PerGroup::PerGroup(double number) : numbers_{number} {}
PerGroup::PerGroup(std::initializer_list<double> numbers) : numbers_(numbers), is_list_(true) {}
PerGroup::PerGroup(std::vector<double> numbers) : numbers_(std::move(numbers)), is_list_(true) {}
PerGroup::PerGroup(const std::vector<float>& numbers)
    : numbers_(numbers.begin(), numbers.end()), is_list_(true) {}

std::vector<double> PerGroup::expand(const char* name, const Optimizer& optimizer) const {
  for (const double number : numbers_) {
    TERN_CHECK(number >= 0, Error, name, " must not be negative, got ", number);
  }
  const std::size_t groups = optimizer.param_groups().size();
  if (!is_list_) return std::vector<double>(groups, numbers_[0]);
  const std::string_view argument =
      std::string_view(name).substr(std::string_view(name).rfind(' ') + 1);
  TERN_CHECK(numbers_.size() == groups, Error, name,
             " must have the same length as optimizer.param_groups. ", argument, " has ",
             numbers_.size(), " values, param_groups has ", groups, ".");
  return numbers_;
}

namespace detail {

Optimizer& ScheduledOptimizer::get() const {
  const auto optimizer = optimizer_.lock();
  TERN_CHECK(optimizer != nullptr, Error,
             "the optimizer of this learning rate scheduler was destroyed");
  return **optimizer;
}

std::vector<double> ScheduledOptimizer::lrs() const {
  std::vector<double> lrs;
  for (const OptimizerParamGroup& group : get().param_groups()) {
    lrs.push_back(group.options().get_lr());
  }
  return lrs;
}

void ScheduledOptimizer::set_lrs(const std::vector<double>& lrs) const {
  std::vector<OptimizerParamGroup>& groups = get().param_groups();
  TERN_CHECK(lrs.size() == groups.size(), Error, "the learning rate scheduler has learning rates ",
             "for ", lrs.size(), " parameter groups, the optimizer has ", groups.size());
  for (const double lr : lrs) {
    TERN_CHECK(std::isfinite(lr), Error, "the learning rate scheduler computed the learning rate ",
               lr);
  }
  for (std::size_t i = 0; i < lrs.size(); ++i) groups[i].options().set_lr(lrs[i]);
}

}  // namespace detail

LRScheduler::LRScheduler(Optimizer& optimizer, std::int64_t last_epoch)
    : last_epoch_(last_epoch), optimizer_(optimizer) {
  TERN_CHECK(last_epoch >= -1, Error, "LRScheduler: last_epoch must be at least -1, got ",
             last_epoch);
  std::size_t index = 0;
  for (OptimizerParamGroup& group : optimizer.param_groups()) {
    State& schedule = group.schedule();
    if (!schedule.contains("initial_lr")) {
      TERN_CHECK(last_epoch == -1, Error, "param 'initial_lr' is not specified in param_groups[",
                 index, "] when resuming scheduler with last_epoch >= 0.\n",
                 "Load the state of the optimizer first, or leave last_epoch at -1");
      schedule.insert("initial_lr", group.options().get_lr());
      marked_groups_.push_back(index);
    }
    base_lrs_.push_back(schedule.get<double>("initial_lr"));
    ++index;
  }
  last_lr_ = get_current_lrs();
}

LRScheduler::~LRScheduler() {
  for (const std::size_t i : marked_groups_) {
    try {
      optimizer().param_groups().at(i).schedule().erase("initial_lr");
    } catch (const std::exception&) {  // the optimizer or the group is gone
    }
  }
}

void LRScheduler::initial_step() {
  step_count_ = 0;
  is_initial_ = true;
  step();
  is_initial_ = false;
  marked_groups_.clear();
}

void LRScheduler::step() {
  ++step_count_;
  try {
    update_lr();
  } catch (...) {
    --step_count_;
    throw;
  }
}

void LRScheduler::update_lr(std::optional<std::int64_t> epoch) {
  const std::size_t groups = optimizer().param_groups().size();
  TERN_CHECK(base_lrs_.size() == groups, Error, "the learning rate scheduler has learning rates ",
             "for ", base_lrs_.size(), " parameter groups, the optimizer has ", groups,
             "; make the scheduler after add_param_group()");
  const std::int64_t before = last_epoch_;
  try {
    last_epoch_ = epoch.value_or(before + 1);
    optimizer_.set_lrs(epoch ? get_closed_form_lrs() : get_lrs());
  } catch (...) {
    last_epoch_ = before;
    throw;
  }
  last_lr_ = get_current_lrs();
}

std::vector<double> LRScheduler::scaled_lrs(double factor) const {
  std::vector<double> lrs = get_current_lrs();
  for (double& lr : lrs) lr *= factor;
  return lrs;
}

void LRScheduler::fields(SchedulerFields& visit) {
  visit("base_lrs", base_lrs_);
  visit("last_epoch", last_epoch_);
  visit(Later("_step_count"), step_count_);
  visit(Later("_last_lr"), last_lr_);
}

State LRScheduler::state_dict() const {
  State state;
  SchedulerFields visit(state, SchedulerFields::Mode::Save);
  const_cast<LRScheduler*>(this)->fields(visit);  // saving changes no member
  return state;
}

void LRScheduler::load_state_dict(const State& state) {
  const std::string name = tern::detail::type_name(typeid(*this)) + "::load_state_dict";
  const tern::detail::OpScope scope(name.c_str());
  State copy = state;
  SchedulerFields check(copy, SchedulerFields::Mode::Check);
  fields(check);
  SchedulerFields load(copy, SchedulerFields::Mode::Load);
  fields(load);
}

}  // namespace tern::optim
