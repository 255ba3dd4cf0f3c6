#include <tern/train/run.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <tern/core/base/error.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/utils/clip_grad.h>
#include <tern/serialization/state_file.h>
#include <tern/train/detail/modes.h>
#include <tern/train/fit.h>
#include <tern/train/grad_scaler.h>

namespace tern::train {

Run::Run(std::shared_ptr<nn::Module> model, detail::Batches& loader, optim::Optimizer& optimizer,
         detail::BatchFunction function, const Options& options)
    : model_(std::move(model)),
      loader_(loader),
      optimizer_(optimizer),
      function_(std::move(function)),
      options_(options) {
  for (const bool is_last : {false, true}) {
    for (const AnyCallback& callback : options.callbacks) {
      if (callback->is_last() == is_last) callbacks_.push_back(&*callback);
    }
  }
}

Run::~Run() = default;

void Run::log(std::string_view name, double value) {
  TERN_CHECK(!name.empty(), Error, "Run::log: the name of a number is empty");
  numbers_.set(name, value);
  if (has_row_) history_.back().set(name, value);
}

void Run::stop(std::string reason) {
  is_stopping_ = true;
  if (history_.stop_reason().empty()) history_.set_stop_reason(std::move(reason));
}

void Run::call(void (Callback::*event)(Run&)) {
  for (Callback* callback : callbacks_) (callback->*event)(*this);
}

void Run::train() {
  const detail::Modes before(*model_);
  call(&Callback::on_fit_begin);
  if (!options_.resume.empty()) load(*this, options_.resume);
  if (!model_->is_training()) model_->train();
  const auto is_done = [this] {
    return is_stopping_ || (options_.epochs > 0 && epoch_ >= options_.epochs && !in_epoch_) ||
           (options_.steps > 0 && step_ >= options_.steps);
  };
  while (!is_done()) train_epoch();
  call(&Callback::on_fit_end);
}

void Run::train_epoch() {
  if (!in_epoch_) {
    ++epoch_;
    batch_ = skipped_ = 0;
    total_ = weight_ = 0;
    numbers_ = {};
    has_row_ = false;
    for (const NamedMetric& named : options_.metrics) named.metric->reset();
    in_epoch_ = true;
    call(&Callback::on_epoch_begin);
  }
  if (!model_->is_training()) model_->train();  // a callback has changed the mode
  pending_ = 0;
  loader_.begin();
  const void* batch = loader_.batch();
  while (batch != nullptr && !is_stopping_) {
    train_batch(batch);
    if (is_stopping_) break;
    loader_.next();
    batch = loader_.batch();
  }
  if (!is_stopping_) {
    TERN_CHECK(batch_ > 0, Error, "fit: the loader gave no batch in epoch ", epoch_,
               "; the dataset is empty, or smaller than a batch with drop_last");
    in_epoch_ = false;
    if (pending_ > 0) step_optimizer();
  }
  if (!in_epoch_ || (options_.steps > 0 && step_ >= options_.steps)) end_epoch();
}

void Run::train_batch(const void* batch) {
  if (pending_ == 0) optimizer_.zero_grad();
  ++batch_;
  const detail::BatchResult result = function_(batch);
  detail::check_has_output(options_.metrics, result);
  TERN_CHECK(result.loss.defined(), Error, "fit: the loss is an undefined tensor");
  TERN_CHECK(result.loss.numel() == 1, ShapeError,
             "fit: the loss should be a single number, got sizes ", result.loss.sizes(),
             "; reduce it with mean() or sum()");
  loss_ = result.loss.item<double>();
  if (!std::isfinite(loss_)) {
    TERN_CHECK(options_.skip_nonfinite, Error, "fit: the loss is ", loss_, " in epoch ", epoch_,
               ", batch ", batch_, ", before step ", step_ + 1,
               "; a smaller learning rate or clip_norm may help, autograd::DetectAnomalyGuard "
               "finds the op, skip_nonfinite skips such batches");
    ++skipped_;
    return;
  }
  Tensor loss = options_.accumulate > 1 ? result.loss.div(options_.accumulate) : result.loss;
  if (options_.scaler != nullptr) loss = options_.scaler->scale(loss);
  loss.backward();
  total_ += loss_ * static_cast<double>(result.size);
  weight_ += static_cast<double>(result.size);
  detail::update_metrics(options_.metrics, result);
  if (++pending_ == options_.accumulate) step_optimizer();
}

void Run::check_gradients() {
  for (const optim::OptimizerParamGroup& group : optimizer_.param_groups()) {
    for (const Tensor& parameter : group.params()) {
      if (parameter.grad().defined()) return;
    }
  }
  tern::detail::raise<Error>(
      "fit: no parameter of the optimizer has a gradient; it has the parameters of another model, "
      "or "
      "all of them are frozen");
}

void Run::step_optimizer() {
  pending_ = 0;
  if (!std::exchange(has_gradients_, true)) check_gradients();
  amp::GradScaler* const scaler = options_.scaler;
  if (options_.clip_norm > 0 || options_.clip_value > 0) {
    if (scaler != nullptr) scaler->unscale_(optimizer_);
    std::vector<Tensor> parameters;
    for (const optim::OptimizerParamGroup& group : optimizer_.param_groups()) {
      parameters.insert(parameters.end(), group.params().begin(), group.params().end());
    }
    if (options_.clip_value > 0) nn::utils::clip_grad_value_(parameters, options_.clip_value);
    if (options_.clip_norm > 0) nn::utils::clip_grad_norm_(parameters, options_.clip_norm);
  }
  if (scaler != nullptr) {
    scaler->step(optimizer_);
    scaler->update();
  } else {
    optimizer_.step();
  }
  ++step_;
  if (options_.steps > 0 && step_ >= options_.steps) is_stopping_ = true;
  call(&Callback::on_step_end);
}

void Run::end_epoch() {
  const Numbers logged = std::exchange(numbers_, {});
  numbers_.set("loss", mean_loss());
  for (const NamedMetric& named : options_.metrics) {
    numbers_.set(named.name, detail::number_of("fit", named));
  }
  numbers_.set("lr", optimizer_.param_groups()[0].options().get_lr());
  if (skipped_ > 0) numbers_.set("skipped", static_cast<double>(skipped_));
  if (options_.validation) {
    const Numbers validation =
        detail::evaluate(model_, options_.validation, function_, options_.metrics, "val_");
    for (const auto& [name, value] : validation) numbers_.set(name, value);
  }
  for (const auto& [name, value] : logged) numbers_.set(name, value);
  history_.add(numbers_);
  has_row_ = true;
  call(&Callback::on_epoch_end);
}

}  // namespace tern::train
