#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include <tern/core/tensor/state.h>
#include <tern/nn/optim/optimizer.h>
#include <tern/nn/options/options_arg.h>

namespace tern::amp {

/// Options of a GradScaler.
struct GradScalerOptions {
  /// The first scale.
  TERN_ARG(double, init_scale) = 65536;
  /// The factor of the scale after `growth_interval` steps without an infinity or NaN. Above 1.
  TERN_ARG(double, growth_factor) = 2;
  /// The factor of the scale after a step with an infinity or NaN. Between 0 and 1.
  TERN_ARG(double, backoff_factor) = 0.5;
  /// How many steps in a row must be without an infinity or NaN before the scale grows.
  TERN_ARG(std::int64_t, growth_interval) = 2000;
  /// False: step() steps the optimizer, and all other functions do nothing.
  TERN_ARG(bool, enabled) = true;
};

/// Scales losses so that small gradients do not vanish in float16, as torch.amp.GradScaler. A scale
/// that is too large gives infinite gradients: step() then leaves the parameters alone, and
/// update() makes the scale smaller. bfloat16 has the range of float32 and needs no scaler.
///
/// Parameters may lie on several devices. Their gradients must be float32, bfloat16 or float64: a
/// model under autocast keeps its float32 parameters.
///
/// Example:
///   tern::amp::GradScaler scaler;
///   for (auto& batch : *loader) {
///     optimizer.zero_grad();
///     Tensor loss;
///     {
///       tern::amp::Autocast autocast(tern::kCUDA);
///       loss = mse_loss(net->forward(batch.data), batch.target);
///     }
///     scaler.scale(loss).backward();
///     scaler.step(optimizer);
///     scaler.update();
///   }
class TERN_API GradScaler {
 public:
  /// Makes a scaler. It is disabled if `device` is CUDA and there is no CUDA device; an index does
  /// not matter. Throws Error for options out of their range.
  explicit GradScaler(Device device = kCUDA, const GradScalerOptions& options = {});

  /// Returns the loss times the scale. The result has at least float32's range: a 0-d float16 loss
  /// becomes float32. Differentiable.
  Tensor scale(const Tensor& outputs);
  /// Does the same for several outputs, which may lie on several devices.
  std::vector<Tensor> scale(const std::vector<Tensor>& outputs);

  /// Divides the gradients of the optimizer's parameters by the scale and looks for infinities and
  /// NaN. Call it before step() where gradients are clipped or inspected; else step() calls it.
  ///
  /// Throws: Error when it was called before in this iteration, after step(), and before the first
  /// scale(). Error for float16 gradients; then no gradient has changed.
  void unscale_(optim::Optimizer& optimizer);

  /// Unscales the gradients unless unscale_() has, and calls optimizer.step() if all of them are
  /// finite. Returns its result; an undefined tensor if the step is skipped. Waits for the device.
  ///
  /// Throws: Error when it was called for the optimizer since the last update(), for a closure,
  /// and for an optimizer without gradients.
  Tensor step(optim::Optimizer& optimizer, optim::Optimizer::LossClosure closure = nullptr);

  /// Ends the iteration: makes the scale smaller if a gradient was not finite, and larger after
  /// `growth_interval` iterations without one. Call it once, after the steps of all optimizers.
  /// Throws Error if there was no step() or unscale_().
  void update();
  /// Ends the iteration and sets the scale. The tensor has one element and does not require grad.
  void update(StrictNumber new_scale);
  void update(const Tensor& new_scale);

  /// Returns the scale; 1 if disabled.
  double get_scale() const { return enabled_ ? double{scale_} : 1; }
  /// Returns the factor by which the scale grows.
  double get_growth_factor() const { return options_.growth_factor(); }
  /// Sets the factor by which the scale grows. Throws Error unless it is above 1.
  void set_growth_factor(double new_factor);
  /// Returns the factor by which the scale shrinks.
  double get_backoff_factor() const { return options_.backoff_factor(); }
  /// Sets the factor by which the scale shrinks. Throws Error unless it is between 0 and 1.
  void set_backoff_factor(double new_factor);
  /// Returns the number of finite iterations before the scale grows.
  std::int64_t get_growth_interval() const { return options_.growth_interval(); }
  /// Sets the number of finite iterations before the scale grows. Throws Error unless it is at
  /// least 1.
  void set_growth_interval(std::int64_t new_interval);
  /// Returns true unless the scaler is disabled.
  bool is_enabled() const { return enabled_; }

  /// Returns {"scale", "growth_factor", "backoff_factor", "growth_interval", "_growth_tracker"} as
  /// Python does; an empty dictionary if disabled. Call it after update().
  State state_dict() const;
  /// Restores what state_dict() returned. Does nothing if disabled. Throws Error for an empty
  /// dictionary, IndexError for a missing key; then nothing has changed.
  void load_state_dict(const State& state);

 private:
  enum class Stage : std::uint8_t { kReady, kUnscaled, kStepped };
  // What happened to an optimizer since the last update().
  struct Progress {
    Stage stage = Stage::kReady;
    std::vector<Tensor> finite;  // bool [] on each device: whether its gradients were
    std::optional<bool> skips;   // what they say, once step() has read them
  };

  void check_started(const char* function) const;
  void finish_update(float new_scale);

  GradScalerOptions options_;
  bool enabled_;
  bool started_ = false;  // scale() was called
  float scale_;
  std::int64_t growth_tracker_ = 0;
  std::unordered_map<const optim::Optimizer*, Progress> progress_;
};

}  // namespace tern::amp
