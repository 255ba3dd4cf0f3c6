#include <tern/train/run.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <typeinfo>
#include <utility>

#include <tern/core/base/detail/type_name.h>
#include <tern/core/base/error.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/utils/clip_grad.h>
#include <tern/serialization/state_file.h>
#include <tern/train/detail/modes.h>
#include <tern/train/detail/ranks.h>
#include <tern/train/fit.h>
#include <tern/train/grad_scaler.h>

namespace tern::train {

Run::Run(std::shared_ptr<nn::Module> model, detail::Batches& loader, optim::Optimizer& optimizer,
         detail::BatchFunction function, const Options& options)
    : model_(std::move(model)),
      ranks_(std::make_unique<detail::Ranks>(options.process_group, model_)),
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

const distributed::ProcessGroup& Run::process_group() const noexcept { return ranks_->group(); }
void Run::on_rank_0(const std::function<void()>& function) const { ranks_->on_first(function); }
void Run::on_every_rank(const std::function<void()>& function) const { ranks_->together(function); }

void Run::log(std::string_view name, double value) {
  TERN_CHECK(!name.empty(), Error, "Run::log: the name of a number is empty");
  numbers_.set(name, value);
  if (has_row_) history_.back().set(name, value);
}

void Run::stop(std::string reason) {
  is_stopping_ = true;
  if (history_.stop_reason().empty()) history_.set_stop_reason(std::move(reason));
}

void Run::call(void (Callback::*event)(Run&), bool is_last) {
  for (Callback* callback : callbacks_) {
    if (callback->is_last() != is_last) continue;
    if (ranks_->is_first() || !callback->is_report()) (callback->*event)(*this);
  }
}

void Run::call(void (Callback::*event)(Run&)) {
  call(event, /*is_last=*/false);
  is_stopping_ = ranks_->sums(std::array{is_stopping_ ? 1.0 : 0.0})[0] > 0;
  call(event, /*is_last=*/true);
}

void Run::check_callbacks() const {
  ranks_->together([&] {
    const std::vector<AnyCallback>& callbacks = options_.callbacks;
    for (const AnyCallback& callback : callbacks) {
      const auto is_same = [&](const AnyCallback& other) { return &*other == &*callback; };
      TERN_CHECK(std::ranges::count_if(callbacks, is_same) == 1, Error, "fit: the callback ",
                 tern::detail::type_name(typeid(*callback)), " is in the options twice");
      if (ranks_->is_first() || !callback->is_report()) callback->check(*this);
    }
  });
}

void Run::train() {
  const detail::Modes before(*model_);
  call(&Callback::on_fit_begin);
  if (!options_.resume.empty()) ranks_->together([&] { load(*this, options_.resume); });
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
    loader_.set_epoch(static_cast<std::size_t>(epoch_ - 1));
    call(&Callback::on_epoch_begin);
  }
  if (!model_->is_training()) model_->train();  // a callback has changed the mode
  pending_ = 0;
  loader_.begin();
  const void* batch = loader_.batch();
  while (goes_on(batch)) {
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

bool Run::goes_on(const void* batch) {
  if (is_stopping_) return false;
  const double ready = ranks_->sums(std::array{batch == nullptr ? 0.0 : 1.0})[0];
  const int size = process_group().size();
  TERN_CHECK(ready == 0 || ready == size, Error, "fit: after ", batch_, " batches of epoch ",
             epoch_, " rank ", process_group().rank(),
             batch == nullptr ? " has no more" : " has more", ", ", size - static_cast<int>(ready),
             " of ", size,
             " ranks have no more; give each rank as many batches, by a distributed sampler");
  return ready > 0;
}

void Run::train_batch(const void* batch) {
  if (pending_ == 0) optimizer_.zero_grad();
  ++batch_;
  ranks_->before_forward();
  const detail::BatchResult result = function_(batch);
  detail::check_has_output(options_.metrics, result);
  TERN_CHECK(result.loss.defined(), Error, "fit: the loss is an undefined tensor");
  TERN_CHECK(result.loss.numel() == 1, ShapeError,
             "fit: the loss should be a single number, got sizes ", result.loss.sizes(),
             "; reduce it with mean() or sum()");
  const auto examples = static_cast<double>(result.size);
  loss_ = result.loss.item<double>();
  const auto [loss_sum, size] = ranks_->sums(std::array{loss_ * examples, examples});
  if (process_group().size() > 1) loss_ = loss_sum / size;
  if (!std::isfinite(loss_)) {
    TERN_CHECK(options_.skip_nonfinite, Error, "fit: the loss is ",
               std::isnan(loss_) ? std::abs(loss_) : loss_, " in epoch ", epoch_, ", batch ",
               batch_, ", before step ", step_ + 1,
               "; a smaller learning rate or clip_norm may help, autograd::DetectAnomalyGuard "
               "finds the op, skip_nonfinite skips such batches");
    ++skipped_;
    return;
  }
  Tensor loss = options_.accumulate > 1 ? result.loss.div(options_.accumulate) : result.loss;
  if (options_.scaler != nullptr) loss = options_.scaler->scale(loss);
  if (++pending_ < options_.accumulate) {
    ranks_->backward_alone([&] { loss.backward(); });
  } else {
    loss.backward();
  }
  total_ += loss_sum;
  weight_ += size;
  detail::update_metrics(options_.metrics, result);
  if (pending_ == options_.accumulate) step_optimizer();
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
  if (pending_ < options_.accumulate) ranks_->average_gradients(optimizer_);
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
  detail::reduce_metrics(options_.metrics, *ranks_);
  for (const NamedMetric& named : options_.metrics) {
    numbers_.set(named.name, detail::number_of("fit", named));
  }
  numbers_.set("lr", optimizer_.param_groups()[0].options().get_lr());
  if (skipped_ > 0) numbers_.set("skipped", static_cast<double>(skipped_));
  if (options_.validation) {
    const Numbers validation = detail::evaluate(model_, options_.validation, function_,
                                                options_.metrics, "val_", ranks_.get());
    for (const auto& [name, value] : validation) numbers_.set(name, value);
  }
  for (const auto& [name, value] : logged) numbers_.set(name, value);
  history_.add(numbers_);
  has_row_ = true;
  call(&Callback::on_epoch_end);
}

}  // namespace tern::train
