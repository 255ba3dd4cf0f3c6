#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <tern/core/base/own_ptr.h>
#include <tern/core/tensor/tensor.h>
#include <tern/nn/any_module.h>
#include <tern/nn/module/call.h>

namespace tern::nn {

namespace detail {

/// Watches one call of a module with hooks, and restores everything that the call changed.
class TERN_API SummaryRun {
 public:
  /// Begins to watch all modules below `root`, without gradients.
  explicit SummaryRun(Module& root);
  ~SummaryRun();
  SummaryRun(const SummaryRun&) = delete;
  SummaryRun& operator=(const SummaryRun&) = delete;

  /// Returns the table.
  std::string text() const;

 private:
  struct Data;
  OwnPtr<Data> data_;
};

/// Returns zeros with the device and dtype of the module's first floating-point parameter.
TERN_API Tensor zeros_for(const Module& module, IntArrayRef sizes);

/// Returns the module that a summary is about.
template <class M>
Module& summarized(M& model) {
  if constexpr (std::is_base_of_v<Module, std::remove_cv_t<M>>) {
    return model;
  } else if constexpr (std::is_same_v<std::remove_cv_t<M>, AnyModule>) {
    return *model.ptr();
  } else {
    return *model;
  }
}

}  // namespace detail

/// Calls a model once, in its current mode and without gradients, and returns a table of its
/// modules: type, shape of the output, number of parameters, and whether these require grad. Below
/// are totals: parameters, buffers, and the bytes of both and of the activations. Modules are seen
/// if they are called through a holder, by Sequential or by AnyModule; others have no output shape.
/// The activations are the outputs of modules without submodules, except those that share the
/// memory of an input.
///
/// Buffers, random numbers and the hooks are as before the call. A lazy module stays initialised,
/// and then the random numbers that it drew are used up. Throws what the call throws.
///
/// `model` is a holder, a shared pointer, a module or an AnyModule; `inputs` are the arguments of
/// its forward.
///
/// Example:
///   std::cout << nn::summary(net, x);
///   std::cout << nn::summary(net, {64, 784});  // the sizes of an input of zeros
template <class M, class... Inputs>
requires(sizeof...(Inputs) > 0) std::string summary(M&& model, const Inputs&... inputs) {
  detail::SummaryRun run(detail::summarized(model));
  if constexpr (std::is_same_v<std::remove_cvref_t<M>, AnyModule>) {
    model.any_forward(inputs...);
  } else if constexpr (std::is_base_of_v<Module, std::remove_cvref_t<M>>) {
    detail::call(model, inputs...);
  } else {
    detail::call(*model, inputs...);
  }
  return run.text();
}
template <class M>
std::string summary(M&& model, IntArrayRef input_sizes) {
  return summary(model, detail::zeros_for(detail::summarized(model), input_sizes));
}

}  // namespace tern::nn
