#include <tern/train/callbacks.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <ostream>
#include <typeinfo>

#include <tern/core/base/detail/op_scope.h>
#include <tern/core/base/detail/plain_text.h>
#include <tern/core/base/detail/type_name.h>
#include <tern/core/base/error.h>
#include <tern/core/ops/ops.h>
#include <tern/serialization/detail/formats.h>
#include <tern/serialization/state_file.h>
#include <tern/train/fit.h>
#include <tern/train/tensorboard/tensorboard.h>

namespace tern::train {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

State copy_of(const State& tensors) {
  State copies;
  for (const auto& [name, value] : tensors) copies.insert(name, value.tensor().detach().clone());
  return copies;
}

/// Finds before the first epoch what would fail after it.
void check_folder_of(const std::string& path, const char* callback) {
  TERN_CHECK(!std::filesystem::is_directory(path), FileError, callback, ": '", path,
             "' is a folder");
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  TERN_CHECK(folder.empty() || std::filesystem::is_directory(folder), FileError, callback,
             ": there is no folder ", folder.string(), " for the file '", path, "'");
}

/// Returns true for callbacks of the library, which log no number.
bool is_silent(const Callback& callback) {
  const std::type_info& type = typeid(callback);
  return type == typeid(EarlyStop) || type == typeid(Checkpoint) || type == typeid(Schedule) ||
         type == typeid(TimeLimit) || type == typeid(Print) || type == typeid(LogCsv) ||
         type == typeid(TensorBoard);
}

/// Throws Error if no epoch can have the number `monitor`. Callbacks of a program may log any
/// number.
void check_monitor(const Run& run, const char* callback, const std::string& monitor) {
  const Options& options = run.options();
  Numbers known;
  known.set("loss", 0);
  for (const NamedMetric& named : options.metrics) known.set(named.name, 0);
  known.set("lr", 0);
  if (options.validation) {
    known.set("val_loss", 0);
    for (const NamedMetric& named : options.metrics) known.set("val_" + named.name, 0);
  }
  if (known.find(monitor) != nullptr) return;
  for (const AnyCallback& other : options.callbacks) {
    if (!is_silent(*other)) return;
  }
  const tern::detail::OpScope scope(callback);
  (void)known[monitor];
}

/// Makes the best value of a number. Errors name the callback.
Best best_of(const char* callback, const std::string& monitor, Mode mode, double min_delta = 0) {
  const tern::detail::OpScope scope(callback);
  return Best(monitor, mode, min_delta);
}

/// Takes the numbers of an epoch. Errors name the callback.
bool improves(Best& best, const Run& run, const char* callback) {
  const tern::detail::OpScope scope(callback);
  return best.improves(run.numbers());
}

bool min_is_better(const std::string& monitor, Mode mode) {
  if (mode != Mode::kAuto) return mode == Mode::kMin;
  const auto names = [&](const char* word) { return monitor.find(word) != std::string::npos; };
  if (names("accuracy")) return false;
  TERN_CHECK(!monitor.empty(), Error,
             "the monitor is empty, expected the name of a number, such as \"val_loss\"");
  TERN_CHECK(names("loss") || names("error"), Error, "is a smaller or a larger '", monitor,
             "' better? Set the option mode to train::Mode::kMin or train::Mode::kMax");
  return true;
}

}  // namespace

Best::Best(std::string monitor, Mode mode, double min_delta)
    : monitor_(std::move(monitor)),
      is_min_(min_is_better(monitor_, mode)),
      min_delta_(min_delta),
      value_(kNone) {
  TERN_CHECK(min_delta >= 0, Error, "min_delta should not be negative, got ", min_delta);
}

bool Best::improves(const Numbers& numbers) {
  const double value = numbers[monitor_];
  if (std::isnan(value)) return false;
  const double gain = is_min_ ? value_ - value : value - value_;
  if (!std::isnan(value_) && !(gain > min_delta_)) return false;
  value_ = value;
  return true;
}

void Best::reset(double value) { value_ = value; }
void Best::reset() { value_ = kNone; }

EarlyStop::EarlyStop(EarlyStopOptions options)
    : options_(std::move(options)),
      best_(best_of("EarlyStop", options_.monitor, options_.mode, options_.min_delta)) {
  TERN_CHECK(options_.patience > 0, Error, "EarlyStop: patience should be positive, got ",
             options_.patience);
}

void EarlyStop::check(const Run& run) const { check_monitor(run, "EarlyStop", options_.monitor); }

void EarlyStop::on_fit_begin(Run& /*run*/) {
  best_.reset();
  best_epoch_ = bad_epochs_ = 0;
  weights_ = {};
}

void EarlyStop::stop_if_due(Run& run) const {
  if (bad_epochs_ < options_.patience) return;
  run.stop(options_.monitor + " has not improved since epoch " + std::to_string(best_epoch_));
}

// A checkpoint of a training that has stopped.
void EarlyStop::on_epoch_begin(Run& run) { stop_if_due(run); }

void EarlyStop::on_epoch_end(Run& run) {
  if (improves(best_, run, "EarlyStop")) {
    best_epoch_ = run.epoch();
    bad_epochs_ = 0;
    if (options_.restore_best) weights_ = copy_of(run.model().state_dict());
  } else {
    ++bad_epochs_;
    stop_if_due(run);
  }
}

void EarlyStop::on_fit_end(Run& run) {
  if (options_.restore_best && !weights_.empty()) run.model().load_state_dict(weights_);
}

State EarlyStop::state_dict() const {
  State state;
  state.insert("best", best_.value());
  state.insert("best_epoch", best_epoch_);
  state.insert("bad_epochs", bad_epochs_);
  state.insert("weights", weights_);
  return state;
}

void EarlyStop::load_state_dict(const State& state) {
  const tern::detail::OpScope scope("EarlyStop::load_state_dict");
  const auto best = state.get<double>("best");
  const auto best_epoch = state.get<std::int64_t>("best_epoch");
  const auto bad_epochs = state.get<std::int64_t>("bad_epochs");
  TERN_CHECK(best_epoch >= 0 && bad_epochs >= 0, Error, "the state has best_epoch ", best_epoch,
             " and bad_epochs ", bad_epochs, ", expected no negative numbers");
  State weights = copy_of(state["weights"]);
  TERN_CHECK(!options_.restore_best || std::isnan(best) || !weights.empty(), Error,
             "restore_best needs a state with the weights of the best epoch");
  best_.reset(best);
  best_epoch_ = best_epoch;
  bad_epochs_ = bad_epochs;
  weights_ = std::move(weights);
}

Checkpoint::Checkpoint(std::string path, CheckpointOptions options)
    : path_(std::move(path)),
      options_(std::move(options)),
      best_(best_of("Checkpoint", options_.monitor,
                    options_.best.empty() ? Mode::kMin : options_.mode)) {
  TERN_CHECK(!path_.empty(), Error, "Checkpoint: the path is empty");
  for (const std::string& file : {path_, options_.best}) {
    if (!file.empty()) tern::detail::format_to_save(file);  // an unknown suffix
  }
  TERN_CHECK(path_ != options_.best, Error, "Checkpoint: the training and the weights of the best ",
             "epoch have the same file '", path_, "'");
  TERN_CHECK(options_.every_epochs > 0 && options_.every_steps >= 0, Error,
             "Checkpoint: every_epochs should be positive and every_steps not negative, got ",
             options_.every_epochs, " and ", options_.every_steps);
}

void Checkpoint::check(const Run& run) const {
  check_folder_of(path_, "Checkpoint");
  check_folder_of(options_.best, "Checkpoint");
  TERN_CHECK(run.has_loader_state() || (options_.every_steps == 0 && run.options().steps == 0),
             Error,
             "Checkpoint: saving within an epoch (every_steps, or Options::steps) needs a "
             "loader with state_dict(), such as a DataLoader");
  if (!options_.best.empty()) check_monitor(run, "Checkpoint", options_.monitor);
}

void Checkpoint::on_fit_begin(Run& run) {
  best_.reset();
  if (!options_.resume) return;
  const Tensor exists = tensor({std::filesystem::exists(path_)}, kBool);
  run.process_group().broadcast(exists);  // a rank that lacks rank 0's file cannot go on alone
  if (exists.item<bool>()) run.on_every_rank([&] { load(run, path_); });
}

void Checkpoint::write(const State& state, const std::string& path, const Run& run) {
  run.on_rank_0([&] { save_state(state, path); });
}

void Checkpoint::on_step_end(Run& run) {
  const bool is_due = options_.every_steps > 0 && run.step() % options_.every_steps == 0;
  if (!run.in_epoch() || !run.has_loader_state()) return;  // on_epoch_end() follows, or nothing can
  if (is_due || run.is_stopping()) write(run.state_dict(), path_, run);
}

void Checkpoint::on_epoch_end(Run& run) {
  if (!options_.best.empty() && improves(best_, run, "Checkpoint")) {
    write(run.model().state_dict(), options_.best, run);
  }
  const bool is_last = run.is_stopping() || run.epoch() == run.options().epochs;
  if (run.in_epoch()) return;  // the last step has saved
  if (is_last || run.epoch() % options_.every_epochs == 0) {
    write(run.state_dict(), path_, run);
  }
}

State Checkpoint::state_dict() const {
  State state;
  if (!options_.best.empty()) state.insert("best", best_.value());
  return state;
}

void Checkpoint::load_state_dict(const State& state) { best_.reset(state.get<double>("best")); }

const void* Schedule::target() const {
  return plateau_ ? static_cast<const void*>(plateau_.get()) : scheduler_.get();
}

void Schedule::check(const Run& run) const {
  const std::string name =
      plateau_ ? "tern::optim::ReduceLROnPlateau" : tern::detail::type_name(typeid(*scheduler_));
  TERN_CHECK(&(plateau_ ? plateau_->optimizer() : scheduler_->optimizer()) == &run.optimizer(),
             Error, "Schedule: the ", name, " has another optimizer than fit()");
  for (const AnyCallback& other : run.options().callbacks) {
    const auto* schedule = dynamic_cast<const Schedule*>(&*other);
    TERN_CHECK(schedule == nullptr || schedule == this || schedule->target() != target(), Error,
               "Schedule: the ", name, " is in two callbacks, which would step it twice");
  }
  if (plateau_) check_monitor(run, "Schedule", monitor_);
}

void Schedule::on_step_end(Run& /*run*/) {
  if (scheduler_ && every_ == Every::kStep) scheduler_->step();
}

void Schedule::on_epoch_end(Run& run) {
  if (plateau_) {
    const tern::detail::OpScope scope("Schedule");
    plateau_->step(run.numbers()[monitor_]);
  }
  if (scheduler_ && every_ == Every::kEpoch) scheduler_->step();
}

State Schedule::state_dict() const {
  return plateau_ ? plateau_->state_dict() : scheduler_->state_dict();
}

void Schedule::load_state_dict(const State& state) {
  if (plateau_) {
    plateau_->load_state_dict(state);
  } else {
    scheduler_->load_state_dict(state);
  }
}

TimeLimit::TimeLimit(double seconds) : seconds_(seconds) {
  TERN_CHECK(seconds > 0, Error, "TimeLimit: seconds should be positive, got ", seconds);
}

void TimeLimit::on_fit_begin(Run& /*run*/) { start_ = now(); }

void TimeLimit::on_step_end(Run& run) {
  if (now() - start_ >= seconds_) run.stop("the time limit was reached");
}

void Print::on_epoch_begin(Run& /*run*/) { start_ = now(); }

void Print::on_epoch_end(Run& run) {
  std::string line = "epoch " + std::to_string(run.epoch());
  if (run.options().epochs > 0) line += '/' + std::to_string(run.options().epochs);
  const std::string seconds = tern::detail::number_text(now() - start_, 'f', 1);
  *out_ << line << "  " << run.numbers() << "  (" << seconds << " s)\n" << std::flush;
}

LogCsv::LogCsv(std::string path) : path_(std::move(path)) {
  TERN_CHECK(!path_.empty(), Error, "LogCsv: the path is empty");
}

void LogCsv::check(const Run& /*run*/) const { check_folder_of(path_, "LogCsv"); }

void LogCsv::on_fit_begin(Run& /*run*/) { log_ = nullptr; }

void LogCsv::on_epoch_end(Run& run) {
  if (!log_) {
    std::vector<std::string> columns = {"epoch"};
    for (const auto& [name, value] : run.history()[0]) columns.push_back(name);
    log_ = std::make_shared<CsvLog>(path_, std::move(columns), /*append=*/run.epoch() > 1);
    log_->truncate(run.epoch() - 1);  // rows after the checkpoint are written again
  }
  std::vector<CsvCell> cells = {{"epoch", run.epoch()}};
  for (const std::string& column : log_->columns()) {
    if (const double* value = run.numbers().find(column)) cells.push_back({column, *value});
  }
  log_->row(cells);
}

}  // namespace tern::train
