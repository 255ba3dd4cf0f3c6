#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <tern/core/autograd/grad_mode.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/options_arg.h>

// Averages of a model's weights during training, which often generalise better than the last
// weights: stochastic weight averaging (Izmailov et al., 2018) and exponential moving averages.

namespace tern::optim {

/// Options of AveragedModel.
struct AveragedModelOptions {
  /// The weight of the old average at each update, from 0 to 1, for an exponential moving average.
  /// nullopt: the plain average of all updates.
  TERN_ARG(std::optional<double>, decay);
  /// True: floating-point buffers are averaged, too. The others are those of the last update.
  TERN_ARG(bool, use_buffers) = false;
  /// The device of the average; the model's unless given.
  TERN_ARG(std::optional<Device>, device);
};

namespace detail {

/// The part of AveragedModel that does not depend on the class of the model.
class TERN_API WeightAverage : public nn::Module {
 public:
  /// Makes the average current: after the first update it is a copy of the model. Runs without
  /// autograd, on the device of the average. Call it after optimizer.step().
  ///
  /// Throws: Error if the model's parameters or buffers are not as many, ShapeError if they have
  /// other sizes than those of the average; then the average is unchanged.
  void update_parameters(const nn::Module& model);
  /// Does the same with the model in a holder.
  template <class Contained, class Derived>
  void update_parameters(const nn::ModuleHolder<Contained, Derived>& model) {
    update_parameters(static_cast<const nn::Module&>(*model));
  }

  /// The options given to the constructor.
  AveragedModelOptions options;
  /// The number of updates, int64 [], a buffer.
  Tensor n_averaged;

 protected:
  /// Registers the average. Throws Error unless 0 <= decay <= 1.
  WeightAverage(const AveragedModelOptions& options_, std::shared_ptr<nn::Module> average);

 private:
  std::shared_ptr<nn::Module> average_;
};

/// The momentum of every BatchNorm of a model while update_bn() runs.
class TERN_API BatchNormReset {
 public:
  /// Resets the running statistics and sets training mode and cumulative averages.
  explicit BatchNormReset(nn::Module& model);
  /// Restores momentum and mode.
  ~BatchNormReset();
  BatchNormReset(const BatchNormReset&) = delete;
  BatchNormReset& operator=(const BatchNormReset&) = delete;

  /// Returns true if the model has no BatchNorm with running statistics.
  bool is_empty() const;

 private:
  std::vector<std::pair<std::shared_ptr<nn::Module>, bool>> modes_;  // parents come first
  std::vector<std::pair<std::optional<double>*, std::optional<double>>> momenta_;
};

/// Returns the input in a batch of a data loader.
inline const Tensor& input_of(const Tensor& batch) { return batch; }
template <class Batch>
requires requires(const Batch& batch) { batch.data; }
const Tensor& input_of(const Batch& batch) { return batch.data; }

}  // namespace detail

/// The average of the weights of a model, as a module: what an AveragedModel holds. State:
/// n_averaged and module.*, as in PyTorch.
template <class Contained>
class AveragedModelImpl : public detail::WeightAverage {
 public:
  /// Takes a copy of the model.
  AveragedModelImpl(const AveragedModelOptions& options_, std::shared_ptr<Contained> average)
      : WeightAverage(options_, average), module(std::move(average)) {}

  /// Calls the averaged model.
  template <class... Args, class M = Contained>
  auto forward(Args&&... args)
      -> decltype(std::declval<M&>().forward(std::forward<Args>(args)...)) {
    return nn::detail::call(*module, std::forward<Args>(args)...);
  }

  /// The averaged model.
  std::shared_ptr<Contained> module;
};

/// A copy of a model whose weights are the average of the model's weights at each
/// update_parameters(). The model must be cloneable.
///
/// Example:
///   optim::AveragedModel ema(net, optim::AveragedModelOptions().decay(0.999));
///   for (auto& batch : *loader) {
///     ...
///     optimizer.step();
///     ema->update_parameters(net);
///   }
///   Tensor y = ema(x);
template <class Contained>
class AveragedModel : public nn::ModuleHolder<AveragedModelImpl<Contained>> {
 public:
  /// Copies the model, to the device of the options if they name one.
  template <class Derived>
  explicit AveragedModel(const nn::ModuleHolder<Contained, Derived>& model,
                         const AveragedModelOptions& options = {})
      : nn::ModuleHolder<AveragedModelImpl<Contained>>(
            std::make_shared<AveragedModelImpl<Contained>>(options, copy_of(*model, options))) {}

 private:
  static std::shared_ptr<Contained> copy_of(const Contained& model,
                                            const AveragedModelOptions& options) {
    nn::detail::require_clone<Contained>();
    auto copy = std::dynamic_pointer_cast<Contained>(model.clone(options.device()));
    TERN_CHECK(copy != nullptr, Error, model.name(), "::clone() returned a module of another type");
    return copy;
  }
};
/// AveragedModel(net) averages the class of `net`.
template <class Contained, class Derived>
AveragedModel(const nn::ModuleHolder<Contained, Derived>&) -> AveragedModel<Contained>;
/// The same with options.
template <class Contained, class Derived>
AveragedModel(const nn::ModuleHolder<Contained, Derived>&, const AveragedModelOptions&)
    -> AveragedModel<Contained>;

/// Computes the running statistics of every BatchNorm of `model` anew, as the plain averages over
/// the batches of `loader`: averaged weights have other activations than the weights of training.
/// Batches are tensors or examples with a member `data`; they move to `device` if it is given. The
/// modes and the momentum of the modules are restored.
///
/// Example:
///   optim::update_bn(*loader, ema);
template <class Loader, class Contained, class Derived>
void update_bn(Loader& loader, const nn::ModuleHolder<Contained, Derived>& model,
               const std::optional<Device>& device = std::nullopt) {
  const NoGradGuard no_grad;
  const detail::BatchNormReset reset(*model);
  if (reset.is_empty()) return;
  for (const auto& batch : loader) {
    const Tensor& input = detail::input_of(batch);
    model(device ? input.to(*device) : input);
  }
}

}  // namespace tern::optim
