#include <tern/train/fit.h>

#include <algorithm>
#include <array>

#include <tern/core/autograd/autocast.h>
#include <tern/core/autograd/grad_mode.h>
#include <tern/core/base/error.h>
#include <tern/core/ops/shape/join.h>
#include <tern/serialization/state_file.h>
#include <tern/train/detail/modes.h>
#include <tern/train/detail/ranks.h>

namespace tern::train {

Callback::~Callback() = default;
void Callback::check(const Run& /*run*/) const {}
void Callback::on_fit_begin(Run& /*run*/) {}
void Callback::on_epoch_begin(Run& /*run*/) {}
void Callback::on_step_end(Run& /*run*/) {}
void Callback::on_epoch_end(Run& /*run*/) {}
void Callback::on_fit_end(Run& /*run*/) {}
State Callback::state_dict() const { return {}; }
void Callback::load_state_dict(const State& /*state*/) {}

void AnyCallback::check() const {
  TERN_CHECK(callback_, Error, "fit: a callback is a null pointer");
}

std::shared_ptr<Callback> AnyCallback::after_each_epoch(std::function<void(Run&)> function) {
  TERN_CHECK(function, Error, "fit: a callback is an empty function");
  struct EpochEnd : Callback {
    explicit EpochEnd(std::function<void(Run&)> its_function) : function(std::move(its_function)) {}
    void on_epoch_end(Run& run) override { function(run); }
    std::function<void(Run&)> function;
  };
  return std::make_shared<EpochEnd>(std::move(function));
}

namespace detail {

Batches::~Batches() = default;

Modes::Modes(nn::Module& module) {
  for (std::shared_ptr<nn::Module>& each : module.modules()) {
    const bool mode = each->is_training();
    modes_.emplace_back(std::move(each), mode);
  }
}

Modes::~Modes() {
  // Parents come first and train() also sets the modules below, which follow.
  for (const auto& [module, mode] : modes_) {
    try {
      if (module->is_training() != mode) module->train(mode);
    } catch (...) {  // of a train() that a program overrides
    }
  }
}

std::optional<Device> device_of(const nn::Module& module) {
  for (const std::vector<Tensor>& tensors : {module.parameters(false), module.buffers(false)}) {
    if (!tensors.empty()) return tensors[0].device();
  }
  for (const std::shared_ptr<nn::Module>& child : module.children()) {
    if (const std::optional<Device> device = device_of(*child)) return device;
  }
  return {};
}

void check_loss(bool is_function) {
  TERN_CHECK(is_function, Error, "fit: the loss is an empty function");
}

BatchFunction loss_function(nn::AnyModule model, LossFunction loss, const char* elementwise) {
  check_loss(static_cast<bool>(loss));
  return [model = std::move(model), loss = std::move(loss), elementwise](const void* given) {
    data::Example<> batch = *static_cast<const data::Example<>*>(given);
    if (const std::optional<Device> device = device_of(*model.ptr())) move_batch(batch, *device);
    BatchResult result;
    result.size = batch_size(batch);
    result.output = model.forward(batch.data);
    TERN_CHECK(elementwise == nullptr || result.output.sizes() == batch.target.sizes(), ShapeError,
               elementwise, ": the target has sizes ", batch.target.sizes(),
               ", but the output of the model has sizes ", result.output.sizes(),
               "; the loss would broadcast them. Give both the same sizes, for example with "
               "target.unsqueeze(1)");
    result.loss = loss(result.output, batch.target);
    result.target = std::move(batch.target);
    return result;
  };
}

namespace {

void check_model(const std::shared_ptr<nn::Module>& model, const char* function) {
  TERN_CHECK(model, Error, function, ": the model is a null pointer");
}

void check_options(const Loader& loader, const Options& options) {
  TERN_CHECK(options.epochs >= 0 && options.steps >= 0 && options.epochs + options.steps > 0, Error,
             "fit: set the option epochs or steps to a positive number, got epochs ",
             options.epochs, " and steps ", options.steps);
  TERN_CHECK(options.accumulate > 0, Error, "fit: accumulate should be positive, got ",
             options.accumulate);
  TERN_CHECK(options.clip_norm >= 0 && options.clip_value >= 0, Error,
             "fit: clip_norm and clip_value should not be negative, got ", options.clip_norm,
             " and ", options.clip_value);
  TERN_CHECK(
      !options.validation || options.validation.batches()->type() == loader.batches()->type(),
      Error,
      "fit: the batches of the validation loader have another type than those of "
      "the training loader");
  if (options.autocast) {
    TERN_CHECK(*options.autocast == kHalf || *options.autocast == kBFloat16, DTypeError,
               "fit: autocast should be kHalf or kBFloat16, got ", *options.autocast);
  }
}

/// Throws Error unless the value of a metric is a single number.
void check_number(const char* function, const NamedMetric& named, const Tensor& value) {
  TERN_CHECK(value.numel() == 1, Error, function, ": the metric '", named.name,
             "' has a value of sizes ", value.sizes(), ", expected a single number, such as that ",
             "of metrics::F1 with Average::Macro");
}

/// Throws Error unless every metric has a name of its own and a single number. `taken` are the
/// names of other numbers.
void check_metrics(const char* function, const std::vector<NamedMetric>& metrics,
                   std::vector<std::string> taken, bool has_validation) {
  const auto take = [&](const std::string& name, const std::string& metric) {
    TERN_CHECK(std::ranges::find(taken, name) == taken.end(), Error, function, ": the metric '",
               metric, "' needs another name, because '", name, "' is the name of another number");
    taken.push_back(name);
  };
  for (const NamedMetric& named : metrics) {
    TERN_CHECK(!named.name.empty(), Error, function,
               ": the name of a metric is empty, expected a text such as \"accuracy\"");
    TERN_CHECK(named.metric, Error, function, ": the metric '", named.name, "' is a null pointer");
    take(named.name, named.name);
    if (has_validation) take("val_" + named.name, named.name);
    Tensor value;
    try {
      value = named.metric->compute();
    } catch (const Error&) {  // a metric of a program may have no value before the first batch
      continue;
    }
    check_number(function, named, value);
  }
}

}  // namespace

double number_of(const char* function, const NamedMetric& named) {
  const Tensor value = named.metric->compute();
  check_number(function, named, value);
  return value.item<double>();
}

void check_has_output(const std::vector<NamedMetric>& metrics, const BatchResult& result) {
  TERN_CHECK(metrics.empty() || result.output.defined(), Error, "the metric '", metrics[0].name,
             "' needs a loss of output and target, such as nn::MSELoss(), instead of a function of "
             "a batch");
}

void update_metrics(const std::vector<NamedMetric>& metrics, const BatchResult& result) {
  const NoGradGuard no_grad;
  for (const NamedMetric& named : metrics) named.metric->update(result.output, result.target);
}

void reduce_metrics(const std::vector<NamedMetric>& metrics, const Ranks& ranks) {
  if (ranks.group().size() == 1) return;
  for (const NamedMetric& named : metrics) named.metric->all_reduce(ranks.group());
}

History fit(std::shared_ptr<nn::Module> model, const Loader& loader, optim::Optimizer& optimizer,
            BatchFunction function, const Options& options) {
  check_model(model, "fit");
  check_options(loader, options);
  std::vector<std::string> taken = {"epoch", "loss", "lr", "skipped"};
  if (options.validation) taken.emplace_back("val_loss");
  check_metrics("fit", options.metrics, std::move(taken), static_cast<bool>(options.validation));
  if (options.autocast) {
    function = [function = std::move(function), model,
                dtype = *options.autocast](const void* batch) {
      const amp::Autocast region(device_of(*model).value_or(kCPU), dtype);
      return function(batch);
    };
  }
  Run run(std::move(model), *loader.batches(), optimizer, std::move(function), options);
  run.check_callbacks();
  run.train();
  return std::move(run.history_);
}

Numbers evaluate(const std::shared_ptr<nn::Module>& model, const Loader& loader,
                 const BatchFunction& function, const std::vector<NamedMetric>& metrics,
                 std::string_view prefix, const Ranks* ranks) {
  check_model(model, "evaluate");
  if (prefix.empty()) check_metrics("evaluate", metrics, {"loss"}, /*has_validation=*/false);
  const Modes before(*model);
  const NoGradGuard no_grad;
  model->eval();
  for (const NamedMetric& named : metrics) named.metric->reset();
  double total = 0, weight = 0;
  Batches& batches = *loader.batches();
  for (batches.begin(); const void* batch = batches.batch(); batches.next()) {
    const BatchResult result = function(batch);
    check_has_output(metrics, result);
    total += result.loss.item<double>() * static_cast<double>(result.size);
    weight += static_cast<double>(result.size);
    update_metrics(metrics, result);
  }
  if (ranks != nullptr) {
    const auto sums = ranks->sums(std::array{total, weight});
    total = sums[0];
    weight = sums[1];
    reduce_metrics(metrics, *ranks);
  }
  TERN_CHECK(weight > 0, Error, "evaluate: the loader gave no batch");
  Numbers numbers;
  numbers.set(std::string(prefix) + "loss", total / weight);
  for (const NamedMetric& named : metrics) {
    numbers.set(std::string(prefix) + named.name, number_of("evaluate", named));
  }
  return numbers;
}

Tensor predict(const nn::AnyModule& model, const Loader& loader,
               const std::function<Tensor(const void*)>& data_of) {
  std::shared_ptr<nn::Module> module;
  if (!model.is_empty()) module = model.ptr();
  check_model(module, "predict");
  const std::optional<Device> device = device_of(*model.ptr());
  const Modes before(*model.ptr());
  const NoGradGuard no_grad;
  model.ptr()->eval();
  std::vector<Tensor> outputs;
  Batches& batches = *loader.batches();
  for (batches.begin(); const void* batch = batches.batch(); batches.next()) {
    Tensor data = data_of(batch);
    if (device) move_batch(data, *device);
    outputs.push_back(model.forward(data));
  }
  TERN_CHECK(!outputs.empty(), Error, "predict: the loader gave no batch");
  return cat(outputs);
}

}  // namespace detail
}  // namespace tern::train
