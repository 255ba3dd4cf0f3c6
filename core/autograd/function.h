#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tern/core/autograd/autograd.h>
#include <tern/core/autograd/saved_value.h>

// Ops with a gradient that the user defines.

namespace tern::autograd {

namespace detail {
class FunctionNode;
class FunctionCall;
}  // namespace detail

/// What the forward() of a Function leaves for its backward(). Both get a pointer to it as their
/// first argument.
class TERN_API AutogradContext {
 public:
  AutogradContext();
  ~AutogradContext();
  AutogradContext(const AutogradContext&) = delete;
  AutogradContext& operator=(const AutogradContext&) = delete;

  /// Saves inputs, outputs or other tensors for backward; undefined tensors are allowed. A later
  /// call replaces the tensors of an earlier one.
  void save_for_backward(variable_list tensors) { to_save_ = std::move(tensors); }
  /// Returns the saved tensors, in backward. Throws Error when one of them was changed in place
  /// since forward, and when the graph was freed.
  variable_list get_saved_variables() const;

  /// Says that forward changed these inputs in place. Forward must return each of them.
  void mark_dirty(const variable_list& inputs) { dirty_ = inputs; }
  /// Says that these outputs have no gradient. Integer and bool outputs never have one.
  void mark_non_differentiable(const variable_list& outputs) { without_gradient_ = outputs; }
  /// Sets whether backward gets zeros for an output without a gradient, which is the default, or
  /// an undefined tensor.
  void set_materialize_grads(StrictBool value) { materializes_ = value; }
  /// Returns true when backward must compute the gradient of tensor `index` among the arguments of
  /// forward. Only tensors are counted. Throws IndexError out of range.
  bool needs_input_grad(std::size_t index) const;

  /// Values other than tensors that backward needs.
  // A reference, so that programs that do not use it compile no map.
  std::unordered_map<std::string, SavedValue>& saved_data;

 private:
  friend class detail::FunctionNode;
  friend class detail::FunctionCall;

  detail::FunctionNode* node_ = nullptr;  // owns this context
  variable_list to_save_, dirty_, without_gradient_;
  bool materializes_ = true;
};

namespace detail {

/// The type-independent part of a call of a Function.
class TERN_API FunctionCall {
 public:
  /// Calls the backward() of the Function.
  using Backward = variable_list (*)(AutogradContext* context, variable_list gradients);

  /// Begins the call; forward runs while this object lives, without recording.
  FunctionCall(const std::type_info& function, Backward backward);
  ~FunctionCall();
  FunctionCall(const FunctionCall&) = delete;
  FunctionCall& operator=(const FunctionCall&) = delete;

  /// Adds an argument of forward: a tensor, several tensors, or anything else.
  void add(const Tensor& tensor);
  void add(const std::optional<Tensor>& tensor);
  void add(const variable_list& tensors);
  template <class T>
  void add(const T& /*other*/) {
    add_other();
  }
  /// Returns the context for forward, when all arguments are there.
  AutogradContext* start();
  /// Gives forward's results their history.
  void finish(variable_list& outputs);

 private:
  void add_other();
  void restore_mode();

  const std::type_info& function_;
  Backward backward_;
  variable_list inputs_;
  std::vector<unsigned char> is_tensor_;  // per argument of forward; bools
  bool recorded_ = false;
  IntrusivePtr<FunctionNode> node_;
  bool runs_forward_ = false, mode_before_ = false;
};

}  // namespace detail

/// Base class of an op with a gradient of its own. The class T has two static functions: `forward`
/// takes an AutogradContext* and any arguments and returns a tensor or a variable_list; `backward`
/// takes the context and the gradients of the outputs and returns one gradient for each argument
/// of forward, an undefined tensor for an argument that is no tensor or needs none. apply() calls
/// forward, without recording its ops, and records T for backward. If backward is made of
/// differentiable ops, T can be differentiated again.
///
/// Example:
///   struct Scale : tern::autograd::Function<Scale> {
///     static Tensor forward(AutogradContext* context, const Tensor& x, double factor) {
///       context->saved_data["factor"] = factor;
///       return x * factor;
///     }
///     static variable_list backward(AutogradContext* context, variable_list gradients) {
///       return {gradients[0] * context->saved_data["factor"].toDouble(), Tensor()};
///     }
///   };
///   Tensor y = Scale::apply(x, 2.5);
template <class T>
class Function {
 public:
  /// Calls T::forward with a context and `args` and returns its result with T as its grad_fn.
  /// Throws Error when an argument that forward marks as changed is a leaf that requires grad.
  template <class... Args>
  static auto apply(Args&&... args) {
    detail::FunctionCall call(typeid(T), [](AutogradContext* context, variable_list gradients) {
      return variable_list(T::backward(context, std::move(gradients)));
    });
    (call.add(args), ...);
    auto result = T::forward(call.start(), std::forward<Args>(args)...);
    if constexpr (std::is_same_v<decltype(result), Tensor>) {
      variable_list outputs{std::move(result)};
      call.finish(outputs);
      return std::move(outputs[0]);
    } else {
      static_assert(std::is_same_v<decltype(result), variable_list>,
                    "forward() must return a Tensor or a variable_list");
      call.finish(result);
      return result;
    }
  }
};

}  // namespace tern::autograd
