#include <tern/core/ops/ops.h>
#include <tern/nn/modules/batch_norm.h>
#include <tern/nn/optim/averaging/averaged_model.h>

namespace tern::optim::detail {
namespace {

void append(std::vector<Tensor>& list, const std::vector<Tensor>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

/// Returns the option of a BatchNorm with running statistics; null for other modules.
template <class Impl>
std::optional<double>* momentum_of(nn::Module& module) {
  auto* const norm = module.as<Impl>();
  if (norm == nullptr || !norm->running_mean.defined()) return nullptr;
  norm->reset_running_stats();
  return &norm->options.momentum();
}

template <class... Impls>
std::optional<double>* momentum_of_any(nn::Module& module) {
  std::optional<double>* found = nullptr;
  (void)((found = momentum_of<Impls>(module)) || ...);
  return found;
}

}  // namespace

WeightAverage::WeightAverage(const AveragedModelOptions& options_,
                             std::shared_ptr<nn::Module> average)
    : options(options_) {
  const std::optional<double> decay = options.decay();
  TERN_CHECK(!decay || (*decay >= 0 && *decay <= 1), Error,
             "AveragedModel: decay must be from 0 to 1, got ", decay.value_or(0));
  bind_buffer("n_averaged", n_averaged,
              zeros({}, TensorOptions(kLong).device(options.device().value_or(kCPU))));
  average_ = register_module("module", std::move(average));
}

void WeightAverage::update_parameters(const nn::Module& model) {
  const NoGradGuard no_grad;
  std::vector<Tensor> sources = model.parameters(), targets = average_->parameters();
  const std::size_t parameters = targets.size();
  append(sources, model.buffers());
  append(targets, average_->buffers());
  TERN_CHECK(
      sources.size() == targets.size(), Error, "update_parameters: the average has ",
      targets.size(), " parameters and buffers, but the model has ", sources.size(),
      "; give it the model that it was made of. Parameters that were tied or untied since then "
      "need a new average");
  for (std::size_t i = 0; i < targets.size(); ++i) {
    TERN_CHECK(targets[i].sizes() == sources[i].sizes(), ShapeError, "update_parameters: tensor ",
               i, " of the average has the sizes ", targets[i].sizes(),
               ", but that of the model has ", sources[i].sizes());
  }
  const auto updates = n_averaged.item<std::int64_t>();
  const double share =
      options.decay() ? 1 - *options.decay() : 1 / (static_cast<double>(updates) + 1);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const bool is_averaged = i < parameters || options.use_buffers();
    if (updates == 0 || !is_averaged || !targets[i].is_floating_point()) {
      targets[i].copy_(sources[i]);
    } else {
      targets[i].lerp_(sources[i].to(targets[i].device(), targets[i].scalar_type()), share);
    }
  }
  n_averaged.add_(1);
}

BatchNormReset::BatchNormReset(nn::Module& model) {
  for (const auto& module : model.modules()) {
    modes_.emplace_back(module, module->is_training());
    auto* const momentum =
        momentum_of_any<nn::BatchNorm1dImpl, nn::BatchNorm2dImpl, nn::BatchNorm3dImpl>(*module);
    if (momentum == nullptr) continue;
    momenta_.emplace_back(momentum, *momentum);
    momentum->reset();
  }
  if (!is_empty()) model.train();
}

bool BatchNormReset::is_empty() const { return momenta_.empty(); }

BatchNormReset::~BatchNormReset() {
  for (const auto& [place, value] : momenta_) *place = value;
  for (const auto& [module, mode] : modes_) module->train(mode);
}

}  // namespace tern::optim::detail
