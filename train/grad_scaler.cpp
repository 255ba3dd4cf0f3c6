#include <tern/train/grad_scaler.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>

#include <tern/core/base/detail/op_scope.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/backend.h>
#include <tern/nn/parallel/detail/sharding.h>
#include <tern/tern.h>

namespace tern::amp {
namespace {

/// The scale is a float32.
void check_scale(double scale) {
  const auto narrow = static_cast<float>(scale);
  TERN_CHECK(narrow > 0 && std::isfinite(narrow), Error,
             "GradScaler: The scale must be positive and finite, got ", scale);
}

void check_scaler_options(const GradScalerOptions& options) {
  const tern::detail::OpScope scope("GradScaler");
  TERN_CHECK(options.growth_factor() > 1 && std::isfinite(options.growth_factor()), Error,
             "The growth factor must be > 1.0. Got ", options.growth_factor());
  TERN_CHECK(options.backoff_factor() < 1, Error, "The backoff factor must be < 1.0. Got ",
             options.backoff_factor());
  TERN_CHECK(options.backoff_factor() > 0, Error, "The backoff factor must be > 0. Got ",
             options.backoff_factor());
  TERN_CHECK(options.growth_interval() >= 1, Error, "The growth interval must be at least 1, got ",
             options.growth_interval());
}

// Multiplies elements in place. Returns true if all of them were finite before.
template <class T>
bool unscale_elements(T* grad, std::int64_t count, T factor) {
  std::atomic<bool> finite = true;
  parallel_for(0, count, 32768, [&](std::int64_t begin, std::int64_t end) {
    bool broken = false;
    for (std::int64_t i = begin; i < end; ++i) {
      broken |= !(std::abs(grad[i]) <= std::numeric_limits<T>::max());
      grad[i] *= factor;
    }
    if (broken) finite.store(false, std::memory_order_relaxed);
  });
  return finite.load(std::memory_order_relaxed);
}

// In one pass for gradients of float32 and float64 in host memory.
bool unscale_host(const Tensor& grad, double factor) {
  if (grad.dtype() == kDouble) {
    return unscale_elements(grad.data_ptr<double>(), grad.numel(), factor);
  }
  return unscale_elements(grad.data_ptr<float>(), grad.numel(), static_cast<float>(factor));
}

// Divides the gradients, all on one device, and returns whether they were finite: bool []. Does not
// wait for a GPU.
Tensor unscale_on_device(const std::vector<Tensor>& grads, double factor) {
  bool finite = true;
  std::vector<Tensor> extremes;  // finite if all elements between them are
  for (const Tensor& grad : grads) {
    if (grad.numel() == 0) continue;
    if (grad.is_cpu() && grad.is_contiguous() && grad.dtype() != kBFloat16) {
      finite = unscale_host(grad, factor) && finite;
      grad.self().storage->bump_version();
      continue;
    }
    extremes.push_back(grad.amin().to(kDouble));
    extremes.push_back(grad.amax().to(kDouble));
    grad.mul_(factor);
  }
  const auto options = TensorOptions().dtype(kBool).device(grads[0].device());
  if (extremes.empty()) return full({}, finite, options);
  return isfinite(stack(extremes)).all().logical_and(full({}, finite, options));
}

// The gradients of all parameters, by device.
std::vector<std::vector<Tensor>> gradients_of(const optim::Optimizer& optimizer) {
  std::vector<std::vector<Tensor>> by_device;
  for (const optim::OptimizerParamGroup& group : optimizer.param_groups()) {
    for (const Tensor& parameter : group.params()) {
      const Tensor& grad = parameter.grad();
      if (!grad.defined()) continue;
      TERN_CHECK(grad.dtype() != kHalf, Error, "Attempting to unscale FP16 gradients.");
      auto found = std::find_if(by_device.begin(), by_device.end(), [&](const auto& grads) {
        return grads[0].device() == grad.device();
      });
      if (found == by_device.end()) found = by_device.emplace(by_device.end());
      found->push_back(grad);
    }
  }
  return by_device;
}

// The ranks over which parameters of an optimizer are divided, if they are.
std::optional<distributed::ProcessGroup> group_of(const optim::Optimizer& optimizer) {
  for (const optim::OptimizerParamGroup& group : optimizer.param_groups()) {
    for (const Tensor& parameter : group.params()) {
      if (auto ranks = nn::detail::group_of_shards(parameter)) return ranks;
    }
  }
  return std::nullopt;
}

bool any_broken(const std::vector<Tensor>& finite) {
  return std::any_of(finite.begin(), finite.end(),
                     [](const Tensor& flag) { return !flag.item<bool>(); });
}

}  // namespace

GradScaler::GradScaler(Device device, const GradScalerOptions& options)
    : options_(options),
      enabled_(options.enabled() && kernels::backend_of(device.type()).device_count() > 0),
      scale_(static_cast<float>(options.init_scale())) {
  if (!enabled_) return;
  check_scaler_options(options);
  check_scale(options.init_scale());
}

void GradScaler::check_started(const char* function) const {
  TERN_CHECK(started_, Error, "Attempted ", function,
             " but _scale is None.  This may indicate your script did not use "
             "scaler.scale(loss or outputs) earlier in the iteration.");
}

Tensor GradScaler::scale(const Tensor& outputs) {
  if (!enabled_) return outputs;
  started_ = true;
  // A tensor, not a number: a 0-d float16 loss becomes float32.
  return outputs * full({}, scale_, TensorOptions().dtype(kFloat).device(outputs.device()));
}

std::vector<Tensor> GradScaler::scale(const std::vector<Tensor>& outputs) {
  std::vector<Tensor> scaled;
  scaled.reserve(outputs.size());
  for (const Tensor& output : outputs) scaled.push_back(scale(output));
  return scaled;
}

void GradScaler::unscale_(optim::Optimizer& optimizer) {
  if (!enabled_) return;
  check_started("unscale_");
  Progress& progress = progress_[&optimizer];
  TERN_CHECK(progress.stage != Stage::kUnscaled, Error,
             "unscale_() has already been called on this optimizer since the last update().");
  TERN_CHECK(progress.stage != Stage::kStepped, Error, "unscale_() is being called after step().");
  const NoGradGuard no_grad;
  const std::vector<std::vector<Tensor>> by_device = gradients_of(optimizer);
  const double factor = static_cast<float>(1 / double{scale_});
  for (const std::vector<Tensor>& grads : by_device) {
    progress.finite.push_back(unscale_on_device(grads, factor));
  }
  if (const auto ranks = group_of(optimizer)) {  // each of them has seen its rows alone
    const Tensor finite = full({}, !any_broken(progress.finite), TensorOptions().dtype(kBool));
    ranks->all_reduce(finite, distributed::ReduceOp::kMin);
    progress.finite = {finite};
  }
  progress.stage = Stage::kUnscaled;
}

Tensor GradScaler::step(optim::Optimizer& optimizer, optim::Optimizer::LossClosure closure) {
  if (!enabled_) return optimizer.step(std::move(closure));
  TERN_CHECK(!closure, Error, "Closure use is not currently supported if GradScaler is enabled.");
  check_started("step");
  Progress& progress = progress_[&optimizer];
  TERN_CHECK(progress.stage != Stage::kStepped, Error,
             "step() has already been called since the last update().");
  if (progress.stage == Stage::kReady) unscale_(optimizer);
  TERN_CHECK(!progress.finite.empty(), Error, "No inf checks were recorded for this optimizer.");
  Tensor result;
  if (!progress.skips) progress.skips = any_broken(progress.finite);
  if (!*progress.skips) result = optimizer.step();
  progress.stage = Stage::kStepped;
  return result;
}

void GradScaler::finish_update(float new_scale) {
  scale_ = new_scale;
  progress_.clear();
}

void GradScaler::update() {
  if (!enabled_) return;
  check_started("update");
  bool any_check = false, found = false;
  for (const auto& [optimizer, progress] : progress_) {
    any_check = any_check || !progress.finite.empty();
    found = found || (progress.skips ? *progress.skips : any_broken(progress.finite));
  }
  TERN_CHECK(any_check, Error, "No inf checks were recorded prior to update.");
  float next = scale_;
  if (found) {
    next = static_cast<float>(scale_ * options_.backoff_factor());
    growth_tracker_ = 0;
  } else if (++growth_tracker_ == options_.growth_interval()) {
    const auto grown = static_cast<float>(scale_ * options_.growth_factor());
    if (std::isfinite(grown)) next = grown;
    growth_tracker_ = 0;
  }
  finish_update(next);
}

void GradScaler::update(StrictNumber new_scale) {
  if (!enabled_) return;
  check_started("update");
  check_scale(new_scale);
  finish_update(static_cast<float>(double{new_scale}));
}

void GradScaler::update(const Tensor& new_scale) {
  if (!enabled_) return;
  TERN_CHECK(new_scale.defined() && new_scale.numel() == 1 && !new_scale.requires_grad(), Error,
             "new_scale should be a float or a 1-element torch.cuda.FloatTensor or "
             "torch.FloatTensor with requires_grad=False.");
  update(new_scale.item<double>());
}

void GradScaler::set_growth_factor(double new_factor) {
  GradScalerOptions options = options_;
  check_scaler_options(options.growth_factor(new_factor));
  options_ = options;
}

void GradScaler::set_backoff_factor(double new_factor) {
  GradScalerOptions options = options_;
  check_scaler_options(options.backoff_factor(new_factor));
  options_ = options;
}

void GradScaler::set_growth_interval(std::int64_t new_interval) {
  GradScalerOptions options = options_;
  check_scaler_options(options.growth_interval(new_interval));
  options_ = options;
}

State GradScaler::state_dict() const {
  State state;
  if (!enabled_) return state;
  state.insert("scale", double{scale_});
  state.insert("growth_factor", options_.growth_factor());
  state.insert("backoff_factor", options_.backoff_factor());
  state.insert("growth_interval", options_.growth_interval());
  state.insert("_growth_tracker", growth_tracker_);
  return state;
}

void GradScaler::load_state_dict(const State& state) {
  if (!enabled_) return;
  TERN_CHECK(!state.empty(), Error,
             "The source state dict is empty, possibly because it was saved from a disabled "
             "instance of GradScaler.");
  const tern::detail::OpScope scope("GradScaler::load_state_dict");
  GradScalerOptions options = options_;
  options.init_scale(state.get<double>("scale"))
      .growth_factor(state.get<double>("growth_factor"))
      .backoff_factor(state.get<double>("backoff_factor"))
      .growth_interval(state.get<std::int64_t>("growth_interval"));
  const auto tracker = state.get<std::int64_t>("_growth_tracker");
  check_scaler_options(options);
  check_scale(options.init_scale());
  TERN_CHECK(tracker >= 0, Error, "_growth_tracker should not be negative, got ", tracker);
  options_ = options;
  scale_ = static_cast<float>(options.init_scale());
  growth_tracker_ = tracker;
}

}  // namespace tern::amp
