#include <cmath>
#include <numbers>
#include <utility>

#include <tern/core/base/detail/op_scope.h>
#include <tern/nn/optim/detail/check_numbers.h>
#include <tern/nn/optim/schedulers/cyclic.h>

namespace tern::optim {

namespace {

/// Throws Error if the optimizer has no momentum. Stores the bounds with the groups of a new
/// schedule and sets the momentum of its first step.
void start_momentum_cycle(const char* scheduler, Optimizer& optimizer,
                          const std::vector<double>& lowest, const std::vector<double>& highest,
                          bool is_new) {
  const tern::detail::OpScope scope(scheduler);
  TERN_CHECK(optimizer.defaults().get_momentum().has_value(), Error, scheduler,
             ": optimizer must support momentum or beta1 with `cycle_momentum` option enabled");
  for (const std::vector<double>* momenta : {&lowest, &highest}) {
    for (std::size_t i = 0; i < momenta->size(); ++i) {
      const auto trial = optimizer.param_groups()[i].options().clone();
      trial->set_momentum((*momenta)[i]);
      trial->check();
    }
  }
  if (!is_new) return;
  for (std::size_t i = 0; i < lowest.size(); ++i) {
    OptimizerParamGroup& group = optimizer.param_groups()[i];
    group.options().set_momentum(highest[i]);
    group.schedule().set("max_momentum", highest[i]);
    group.schedule().set("base_momentum", lowest[i]);
  }
}

/// Python also saves whether the momentum is the first beta.
void visit_use_beta1(SchedulerFields& visit, const Optimizer& optimizer, bool cycle_momentum) {
  if (visit.mode() != SchedulerFields::Mode::Save || !cycle_momentum) return;
  State options;
  optimizer.defaults().save(options);
  visit.state().set("use_beta1", options.contains("betas"));
}

}  // namespace

// --- CyclicLR ------------------------------------------------------------------------------------

namespace {

/// Sets the learning rates to base_lr, which become the initial ones. Throws before the first
/// change if an option is wrong.
Optimizer& start_cyclic(Optimizer& optimizer, const CyclicLROptions& options) {
  const double up = options.step_size_up(), down = options.step_size_down().value_or(up);
  TERN_CHECK(up > 0 && down > 0, Error, "CyclicLR: Expected positive step_size_up and ",
             "step_size_down, but got ", up, " and ", down);
  const std::string& mode = options.mode();
  TERN_CHECK(
      options.scale_fn() || mode == "triangular" || mode == "triangular2" || mode == "exp_range",
      Error, "CyclicLR: mode is invalid and scale_fn is None: '", mode,
      "', expected 'triangular', 'triangular2' or 'exp_range'");
  const std::string& scale_mode = options.scale_mode();
  TERN_CHECK(scale_mode == "cycle" || scale_mode == "iterations", Error,
             "CyclicLR: scale_mode must be 'cycle' or 'iterations', got '", scale_mode, "'");
  detail::check_not_negative("CyclicLR", "gamma", options.gamma());
  const std::vector<double> lrs = options.base_lr().expand("CyclicLR: base_lr", optimizer);
  options.max_lr().expand("CyclicLR: max_lr", optimizer);
  const bool is_new = options.last_epoch() == -1;
  if (options.cycle_momentum()) {
    start_momentum_cycle(
        "CyclicLR", optimizer, options.base_momentum().expand("CyclicLR: base_momentum", optimizer),
        options.max_momentum().expand("CyclicLR: max_momentum", optimizer), is_new);
  }
  for (std::size_t i = 0; is_new && i < lrs.size(); ++i) {
    optimizer.param_groups()[i].options().set_lr(lrs[i]);
  }
  return optimizer;
}

}  // namespace

CyclicLROptions::CyclicLROptions(PerGroup base_lr, PerGroup max_lr)
    : base_lr_(std::move(base_lr)), max_lr_(std::move(max_lr)) {}

CyclicLR::CyclicLR(Optimizer& optimizer, const CyclicLROptions& options)
    : LRScheduler(start_cyclic(optimizer, options), options.last_epoch()),
      max_lrs_(options.max_lr().expand("CyclicLR: max_lr", optimizer)),
      total_size_(options.step_size_up() +
                  options.step_size_down().value_or(options.step_size_up())),
      step_ratio_(options.step_size_up() / total_size_),
      mode_(options.mode()),
      gamma_(options.gamma()),
      scale_fn_(options.scale_fn()),
      scale_mode_(options.scale_mode()),
      cycle_momentum_(options.cycle_momentum()),
      base_momentums_(options.base_momentum().expand("CyclicLR: base_momentum", optimizer)),
      max_momentums_(options.max_momentum().expand("CyclicLR: max_momentum", optimizer)) {
  if (!scale_fn_) scale_mode_ = mode_ == "exp_range" ? "iterations" : "cycle";
  initial_step();
  base_lrs_ = options.base_lr().expand("CyclicLR: base_lr", optimizer);
}

double CyclicLR::scale(double x) const {
  if (scale_fn_) return scale_fn_(x);
  if (mode_ == "triangular2") return 1 / std::pow(2.0, x - 1);
  return mode_ == "exp_range" ? std::pow(gamma_, x) : 1.0;
}

std::vector<double> CyclicLR::get_lrs() {
  const auto epoch = static_cast<double>(last_epoch_);
  const double cycle = std::floor(1 + epoch / total_size_);
  const double x = 1.0 + epoch / total_size_ - cycle;
  const double height = x <= step_ratio_ ? x / step_ratio_ : (x - 1) / (step_ratio_ - 1);
  const double factor = scale(scale_mode_ == "cycle" ? cycle : epoch);
  std::vector<double> lrs;
  for (std::size_t i = 0; i < base_lrs_.size(); ++i) {
    lrs.push_back(base_lrs_[i] + (max_lrs_[i] - base_lrs_[i]) * height * factor);
    if (!cycle_momentum_) continue;
    const double range = (max_momentums_[i] - base_momentums_[i]) * height;
    optimizer().param_groups()[i].options().set_momentum(max_momentums_[i] - range * factor);
  }
  return lrs;
}

void CyclicLR::fields(SchedulerFields& visit) {
  if (visit.mode() != SchedulerFields::Mode::Save) {
    const auto size = detail::saved_number(visit.state()["total_size"], "total_size");
    const auto ratio = detail::saved_number(visit.state()["step_ratio"], "step_ratio");
    TERN_CHECK(size > 0 && ratio > 0 && ratio < 1, Error, "loaded state dict has total_size ", size,
               " and step_ratio ", ratio, ", expected a positive number and one from 0 to 1");
  }
  if (!scale_fn_) visit.check_choice("mode", {"triangular", "triangular2", "exp_range"});
  visit.check_choice("scale_mode", {"cycle", "iterations"});
  visit("max_lrs", max_lrs_);
  visit("total_size", total_size_);
  visit("step_ratio", step_ratio_);
  visit("mode", mode_);
  visit("gamma", gamma_);
  visit("scale_mode", scale_mode_);
  visit("cycle_momentum", cycle_momentum_);
  visit_use_beta1(visit, optimizer(), cycle_momentum_);
  if (cycle_momentum_) {
    visit("base_momentums", base_momentums_);
    visit("max_momentums", max_momentums_);
  }
  LRScheduler::fields(visit);
  if (visit.mode() == SchedulerFields::Mode::Save) visit.state().set("_scale_fn_custom", nullptr);
}

// --- OneCycleLR ----------------------------------------------------------------------------------

namespace {

std::int64_t one_cycle_steps(const OneCycleLROptions& options) {
  const auto positive = [](const char* name, std::int64_t count) {
    detail::check_positive("OneCycleLR", name, count);
    return count;
  };
  if (options.total_steps()) return positive("total_steps", *options.total_steps());
  TERN_CHECK(options.epochs() && options.steps_per_epoch(), Error,
             "OneCycleLR: You must define either total_steps OR (epochs AND steps_per_epoch)");
  return positive("epochs", *options.epochs()) *
         positive("steps_per_epoch", *options.steps_per_epoch());
}

}  // namespace

OneCycleLROptions::OneCycleLROptions(PerGroup max_lr) : max_lr_(std::move(max_lr)) {}

OneCycleLR::OneCycleLR(Optimizer& optimizer, const OneCycleLROptions& options)
    : LRScheduler(optimizer, options.last_epoch()),
      total_steps_(one_cycle_steps(options)),
      anneal_strategy_(options.anneal_strategy()),
      cycle_momentum_(options.cycle_momentum()) {
  const bool is_new = last_epoch_ == -1;
  const double share = options.pct_start();
  TERN_CHECK(share >= 0 && share <= 1, Error,
             "OneCycleLR: Expected float between 0 and 1 pct_start, but got ", share);
  TERN_CHECK(anneal_strategy_ == "cos" || anneal_strategy_ == "linear", Error,
             "OneCycleLR: anneal_strategy must be one of 'cos' or 'linear', instead got ",
             anneal_strategy_);
  TERN_CHECK(options.div_factor() > 0 && options.final_div_factor() > 0, Error,
             "OneCycleLR: div_factor and final_div_factor must be positive, got ",
             options.div_factor(), " and ", options.final_div_factor());
  const std::vector<double> max_lrs = options.max_lr().expand("OneCycleLR: max_lr", optimizer);
  if (cycle_momentum_) {
    start_momentum_cycle("OneCycleLR", optimizer,
                         options.base_momentum().expand("OneCycleLR: base_momentum", optimizer),
                         options.max_momentum().expand("OneCycleLR: max_momentum", optimizer),
                         is_new);
  }
  const auto steps = static_cast<double>(total_steps_);
  phases_.push_back({share * steps - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum"});
  if (options.three_phase()) {
    phases_.push_back(
        {2 * share * steps - 2, "max_lr", "initial_lr", "base_momentum", "max_momentum"});
    phases_.push_back({steps - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum"});
  } else {
    phases_.push_back({steps - 1, "max_lr", "min_lr", "base_momentum", "max_momentum"});
  }
  for (std::size_t i = 0; is_new && i < max_lrs.size(); ++i) {
    State& schedule = optimizer.param_groups()[i].schedule();
    base_lrs_[i] = max_lrs[i] / options.div_factor();
    schedule.set("initial_lr", base_lrs_[i]);
    schedule.set("max_lr", max_lrs[i]);
    schedule.set("min_lr", base_lrs_[i] / options.final_div_factor());
  }
  initial_step();
}

double OneCycleLR::anneal(double start, double end, double share) const {
  if (anneal_strategy_ == "linear") return (end - start) * share + start;
  return end + (start - end) / 2.0 * (std::cos(std::numbers::pi * share) + 1);
}

std::vector<double> OneCycleLR::get_lrs() {
  TERN_CHECK(last_epoch_ <= total_steps_, Error, "OneCycleLR: Tried to step ", last_epoch_,
             " times. The specified number of total steps is ", total_steps_);
  const auto step = static_cast<double>(last_epoch_);
  std::size_t index = 0;
  double start = 0;
  for (; index + 1 < phases_.size() && step > phases_[index].end_step; ++index) {
    start = phases_[index].end_step;
  }
  const Phase& phase = phases_[index];
  const double share = (step - start) / (phase.end_step - start);
  std::vector<double> lrs;
  for (OptimizerParamGroup& group : optimizer().param_groups()) {
    const State& numbers = group.schedule();
    const auto number = [&](const std::string& name) { return numbers.get<double>(name); };
    lrs.push_back(anneal(number(phase.start_lr), number(phase.end_lr), share));
    if (!cycle_momentum_) continue;
    group.options().set_momentum(
        anneal(number(phase.start_momentum), number(phase.end_momentum), share));
  }
  return lrs;
}

void OneCycleLR::fields(SchedulerFields& visit) {
  using Mode = SchedulerFields::Mode;
  visit("total_steps", total_steps_, 1);
  const auto visit_phase = [](SchedulerFields& fields, Phase& phase) {
    for (const char* name : {"start_lr", "end_lr"}) {
      fields.check_choice(name, {"initial_lr", "max_lr", "min_lr"});
    }
    for (const char* name : {"start_momentum", "end_momentum"}) {
      fields.check_choice(name, {"base_momentum", "max_momentum"});
    }
    fields("end_step", phase.end_step);
    fields("start_lr", phase.start_lr);
    fields("end_lr", phase.end_lr);
    fields("start_momentum", phase.start_momentum);
    fields("end_momentum", phase.end_momentum);
  };
  std::vector<State> saved;
  if (visit.mode() == Mode::Save) {
    for (Phase& phase : phases_) {
      SchedulerFields fields(saved.emplace_back(), Mode::Save);
      visit_phase(fields, phase);
    }
    visit.state().set("_schedule_phases", State::list(std::move(saved)));
  } else if (const State* list = visit.state().find("_schedule_phases")) {  // since PyTorch 1.8
    saved = list->elements();
    TERN_CHECK(!saved.empty(), Error, "loaded state dict has no phases in _schedule_phases");
    std::vector<Phase> phases(saved.size());
    for (std::size_t i = 0; i < phases.size(); ++i) {
      SchedulerFields fields(saved[i], Mode::Load);
      visit_phase(fields, phases[i]);
    }
    if (visit.mode() == Mode::Load) phases_ = std::move(phases);
  }
  visit.check_choice("_anneal_func_type", {"cos", "linear"});
  visit(Later("_anneal_func_type"), anneal_strategy_);
  visit("cycle_momentum", cycle_momentum_);
  visit_use_beta1(visit, optimizer(), cycle_momentum_);
  LRScheduler::fields(visit);
}

}  // namespace tern::optim
