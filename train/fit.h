#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tern/core/distributed/process_group.h>
#include <tern/nn/any_module.h>
#include <tern/nn/modules/loss.h>
#include <tern/train/callback.h>
#include <tern/train/loader.h>
#include <tern/train/metrics/metric.h>

namespace tern::amp {
class GradScaler;
}  // namespace tern::amp

namespace tern::train {

/// A metric under the name that its number has in the history.
struct NamedMetric {
  /// Takes over a metric with a single number. No other number of an epoch may have the name:
  /// "loss", "lr", "skipped", "epoch" and those of other metrics are taken.
  template <std::derived_from<metrics::TargetMetric> M>
  NamedMetric(std::string its_name, M its_metric)
      : name(std::move(its_name)), metric(std::make_shared<M>(std::move(its_metric))) {}
  /// Reports a metric that compares no outputs with targets.
  template <std::derived_from<metrics::Metric> M>
  requires(!std::derived_from<M, metrics::TargetMetric>)
      NamedMetric(const std::string&, const M& /*unused*/) {
    static_assert(std::is_void_v<M>,
                  "A metric of fit() compares outputs with targets, as metrics::Accuracy does.");
  }
  /// Reports a metric without a name, and one without braces of its own.
  template <std::derived_from<metrics::Metric> M>
  NamedMetric(M /*unused*/) {
    static_assert(std::is_void_v<M>,
                  "A metric has a name, and both stand in braces of their own: "
                  "{.metrics = {{\"accuracy\", metrics::Accuracy()}}}");
  }
  /// A name without a metric, which fit() refuses.
  NamedMetric(const char* its_name) : name(its_name) {}

  /// The name, such as "accuracy".
  std::string name;
  /// The metric.
  std::shared_ptr<metrics::TargetMetric> metric;
};

/// Options of fit(). At least one of `epochs` and `steps` must be set.
///
/// Example:
///   train::fit(net, loader, adam, nn::CrossEntropyLoss(),
///              {.epochs = 5, .validation = test_loader, .clip_norm = 1.0,
///               .callbacks = {train::Print(std::cout)}});
struct Options {
  /// The number of epochs of the whole training, those before a checkpoint included; 0 for no
  /// limit.
  std::int64_t epochs = 0;
  /// The number of steps of the optimizer in the whole training; 0 for no limit.
  std::int64_t steps = 0;
  /// Batches of the same type as those of the training. Each epoch ends with their loss, computed
  /// in evaluation mode without gradients.
  Loader validation = {};
  /// The numbers of an epoch beside the loss, of the training (in training mode, while the model
  /// changes) and of the validation.
  std::vector<NamedMetric> metrics = {};
  /// The number of batches whose gradients each step accumulates. Each loss is divided by this
  /// number. The last step of an epoch may have fewer batches.
  std::int64_t accumulate = 1;
  /// The largest total norm of the gradients; larger ones are scaled down. 0 for no limit.
  double clip_norm = 0;
  /// The largest magnitude of an element of the gradients; larger ones are cut, before clip_norm
  /// looks at them. 0 for no limit.
  double clip_value = 0;
  /// The dtype of matrix products in the forward pass and the loss, kBFloat16 or kHalf: both run in
  /// an amp::Autocast of the model's device. Nothing for no autocast.
  std::optional<ScalarType> autocast = {};
  /// Scales the losses, which float16 needs; must outlive fit(). Null for no scaling.
  amp::GradScaler* scaler = nullptr;
  /// True: a batch whose loss is NaN or infinite changes nothing and is counted in the number
  /// "skipped" of its epoch. False: it is an error.
  bool skip_nonfinite = false;
  /// What happens beside the loop, in this order.
  std::vector<AnyCallback> callbacks = {};
  /// A file of a Checkpoint to continue from.
  std::string resume = {};
  /// The ranks that train the model together, each with the batches of its own loader: gradients
  /// are averaged as by nn::parallel::DistributedDataParallel, losses and metrics are those of all
  /// ranks, and rank 0 alone reports and writes files. Nothing for this process alone.
  std::optional<distributed::ProcessGroup> process_group = {};
};

namespace detail {

/// Computes the loss of outputs and targets.
using LossFunction = std::function<Tensor(const Tensor& output, const Tensor& target)>;

/// Reports a model or a loader that fit() cannot take, by a static_assert in words.
template <class M, class L>
constexpr void check_arguments() {
  static_assert(!std::is_base_of_v<nn::Module, M>,
                "Give the holder of the model (Net net; made by TERN_MODULE), a std::shared_ptr to "
                "it, or an nn::AnyModule: a plain object would be copied.");
  static_assert(!std::is_void_v<BatchOf<L>>,
                "A loader has begin() and end(). Make one of a dataset with "
                "data::make_data_loader(dataset.map(data::transforms::Stack<>()), batch_size).");
}

template <class M>
nn::AnyModule any_module(const M& model) {
  if constexpr (std::is_same_v<M, nn::AnyModule>) {
    return model;
  } else if constexpr (!std::is_base_of_v<nn::Module, M>) {
    return nn::AnyModule(model);
  } else {
    return {};
  }
}

template <class M>
std::shared_ptr<nn::Module> module_of(const M& model) {
  if constexpr (requires { model.ptr(); }) {
    return model.ptr();
  } else if constexpr (!std::is_base_of_v<nn::Module, M>) {
    return model;
  } else {
    return nullptr;
  }
}

/// Returns the device of the first parameter or buffer of a module, nothing without any.
TERN_API std::optional<Device> device_of(const nn::Module& module);

/// The name of a loss that compares element with element, null for all others. PyTorch warns where
/// such a loss broadcasts; fit() refuses it.
template <class F>
constexpr const char* kElementwiseLoss = nullptr;
template <>
inline constexpr const char* kElementwiseLoss<nn::MSELoss> = "MSELoss";
template <>
inline constexpr const char* kElementwiseLoss<nn::L1Loss> = "L1Loss";
template <>
inline constexpr const char* kElementwiseLoss<nn::SmoothL1Loss> = "SmoothL1Loss";
template <>
inline constexpr const char* kElementwiseLoss<nn::HuberLoss> = "HuberLoss";

TERN_API void check_loss(bool is_function);
TERN_API BatchFunction loss_function(nn::AnyModule model, LossFunction loss,
                                     const char* elementwise);
template <class Batch, class Step>
BatchFunction step_function(std::shared_ptr<nn::Module> model, Step step) {
  if constexpr (requires { step == nullptr; }) check_loss(!(step == nullptr));
  return [model = std::move(model), step = std::move(step)](const void* given) mutable {
    Batch batch = *static_cast<const Batch*>(given);
    if (const std::optional<Device> device = device_of(*model)) move_batch(batch, *device);
    const std::int64_t size = batch_size(batch);
    return BatchResult{step(batch), {}, {}, size};
  };
}

/// Returns the function that computes the loss of a batch by `loss`, which is a function of output
/// and target or a function of a batch.
template <class L, class M, class F>
BatchFunction batch_function(const M& model, F&& loss) {
  using Batch = BatchOf<L>;
  if constexpr (std::is_void_v<Batch>) {
    return {};
  } else if constexpr (std::is_invocable_r_v<Tensor, F&, const Tensor&, const Tensor&>) {
    static_assert(std::is_same_v<Batch, data::Example<>>,
                  "With a loss of output and target, the loader's batches must be data::Example<>: "
                  "join the examples with dataset.map(data::transforms::Stack<>()), or give a "
                  "function of a batch that returns the loss.");
    return loss_function(any_module(model), LossFunction(std::forward<F>(loss)),
                         kElementwiseLoss<std::remove_cvref_t<F>>);
  } else {
    static_assert(std::is_invocable_r_v<Tensor, F&, Batch&>,
                  "The loss is a function (output, target) -> Tensor such as nn::MSELoss(), or a "
                  "function of a batch of the loader that returns the loss as a Tensor.");
    return step_function<Batch>(module_of(model), std::decay_t<F>(std::forward<F>(loss)));
  }
}

TERN_API Numbers evaluate(const std::shared_ptr<nn::Module>& model, const Loader& loader,
                          const BatchFunction& function, const std::vector<NamedMetric>& metrics,
                          std::string_view prefix, const Ranks* ranks = nullptr);
void check_has_output(const std::vector<NamedMetric>& metrics, const BatchResult& result);
void update_metrics(const std::vector<NamedMetric>& metrics, const BatchResult& result);
void reduce_metrics(const std::vector<NamedMetric>& metrics, const Ranks& ranks);
double number_of(const char* function, const NamedMetric& named);
TERN_API Tensor predict(const nn::AnyModule& model, const Loader& loader,
                        const std::function<Tensor(const void*)>& data_of);

}  // namespace detail

/// Trains a model and returns the numbers of each epoch. The loop is the one of docs/training.md:
/// zero_grad, forward, loss, backward, clipping, step.
///
/// `model` is a holder, a shared pointer or an AnyModule. `loader` gives the batches; see Loader.
/// `loss` is a function or module of the model's output and the target, for batches of type
/// data::Example<>; or a function of a batch of any type that computes the loss itself. Batches are
/// moved to the device of the model first. Losses are averaged over the examples; reading one waits
/// for a GPU.
///
/// Training is in training mode; a model that is in training mode keeps the modes of its
/// submodules, so a frozen part may stay in evaluation mode. After fit(), also after an exception,
/// every module has the mode that it had before.
///
/// With Options::process_group every rank calls fit(). Give each loader a distributed sampler,
/// which fit() tells the epoch. The ranks end an epoch together: it is an Error on all if one has
/// fewer batches than another. A loss that is NaN on one rank counts as NaN on all.
///
/// Throws: before the first step, Error for options out of range, for a metric with the name of
/// another number or with several numbers, and for callbacks that do not fit: see
/// Callback::check(). ShapeError for outputs and targets that MSELoss, L1Loss, SmoothL1Loss or
/// HuberLoss would broadcast, Error for a loss that is not a single number, and for a loss that is
/// NaN or infinite, with its step; and the errors of the model, the loader and callbacks.
///
/// Example:
///   optim::Adam adam(net->parameters(), 1e-3);
///   train::History history =
///       train::fit(net, loader, adam, nn::CrossEntropyLoss(), {.epochs = 5});
///   train::fit(vae, loader, adam, [&](data::Example<>& batch) { return vae->loss(batch.data); },
///              {.steps = 1000});
template <class M, class L, class F>
History fit(const M& model, L&& loader, optim::Optimizer& optimizer, F&& loss,
            const Options& options) {
  detail::check_arguments<M, L>();
  return detail::fit(detail::module_of(model), detail::loader_of(loader), optimizer,
                     detail::batch_function<L>(model, std::forward<F>(loss)), options);
}

/// Reports arguments in the order of other libraries.
template <class M, std::derived_from<optim::Optimizer> O, class L, class F>
History fit(const M& /*model*/, O& /*optimizer*/, L&& /*loader*/, F&& /*loss*/,
            const Options& /*options*/) {
  static_assert(std::is_void_v<M>,
                "The order of the arguments is model, loader, optimizer, loss, options.");
  return {};
}

/// Reports options that are missing or not in braces.
template <class M, class L, class F, class... Rest>
requires(!(std::is_convertible_v<const Rest&, const Options&> || ...)) History
    fit(const M& /*model*/, L&& /*loader*/, optim::Optimizer& /*optimizer*/, F&& /*loss*/,
        const Rest&... /*options*/) {
  static_assert(std::is_void_v<M>, "Give the options in braces, such as {.epochs = 5}.");
  return {};
}

/// Returns "loss", the mean over the examples of a loader, and the metrics, in evaluation mode and
/// without gradients. The arguments are those of fit(). The modes of the modules are restored.
///
/// Example:
///   train::Numbers test = train::evaluate(net, test_loader, nn::CrossEntropyLoss(),
///                                         {{"accuracy", metrics::Accuracy()}});
template <class M, class L, class F>
Numbers evaluate(const M& model, L&& loader, F&& loss,
                 const std::vector<NamedMetric>& metrics = {}) {
  detail::check_arguments<M, L>();
  return detail::evaluate(detail::module_of(model), detail::loader_of(loader),
                          detail::batch_function<L>(model, std::forward<F>(loss)), metrics, "");
}

/// Returns the outputs of a model for all batches of a loader, joined along dimension 0, on the
/// device of the model, in evaluation mode and without gradients. Batches are tensors or examples.
///
/// Example:
///   Tensor classes = train::predict(net, loader).argmax(1);
template <class M, class L>
Tensor predict(const M& model, L&& loader) {
  using Batch = detail::BatchOf<L>;
  detail::check_arguments<M, L>();
  return detail::predict(detail::any_module(model), detail::loader_of(loader),
                         [](const void* given) -> Tensor {
                           if constexpr (requires(const Batch& batch) { Tensor(batch.data); }) {
                             return static_cast<const Batch*>(given)->data;
                           } else {
                             static_assert(std::is_same_v<Batch, Tensor> || std::is_void_v<Batch>,
                                           "predict() takes batches that are tensors or examples "
                                           "whose data is a tensor.");
                             return *static_cast<const Tensor*>(given);
                           }
                         });
}

}  // namespace tern::train
