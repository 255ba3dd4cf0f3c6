#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>

namespace tern::nn {

/// A module that calls a function of one Tensor, for example inside a Sequential. Further arguments
/// are passed after the tensor. Containers accept such a function directly.
///
/// Example:
///   nn::Sequential net{nn::Functional(tern::relu), nn::Functional(tern::flatten, 1, -1)};
class TERN_API FunctionalImpl : public Cloneable<FunctionalImpl> {
 public:
  /// The function that forward calls.
  using Function = std::function<Tensor(Tensor)>;

  /// Calls `function`.
  explicit FunctionalImpl(Function function);
  /// Calls `function` with the input followed by `args`.
  template <class Fn, class... Args>
  requires(sizeof...(Args) > 0) explicit FunctionalImpl(Fn function, Args&&... args)
      : FunctionalImpl(Function([function, ... bound = std::forward<Args>(args)](Tensor input) {
          return function(std::move(input), bound...);
        })) {}

  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  /// Returns the function's result for the input.
  Tensor forward(Tensor input);
  /// Returns the same as forward().
  Tensor operator()(Tensor input) { return forward(std::move(input)); }
  bool is_serializable() const override { return false; }

 private:
  Function function_;
};
TERN_MODULE(Functional);

namespace detail {
template <class F>
requires TensorFunction<std::decay_t<F>> std::shared_ptr<Module> module_ptr(F&& function) {
  return own_module(new FunctionalImpl(FunctionalImpl::Function(std::forward<F>(function))));
}
}  // namespace detail

}  // namespace tern::nn
