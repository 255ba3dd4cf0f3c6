#pragma once

#include <functional>
#include <utility>

#include <tern/nn/cloneable.h>
#include <tern/nn/module_holder.h>

namespace tern::nn {

/// Calls a function of one Tensor as a module, so that it can stand in a Sequential. Further
/// arguments are bound behind the tensor.
///
/// Example: nn::Functional(tern::relu); nn::Functional(tern::flatten, 1, -1)
class TERN_API FunctionalImpl : public Cloneable<FunctionalImpl> {
 public:
  using Function = std::function<Tensor(Tensor)>;

  explicit FunctionalImpl(Function function) : function_(std::move(function)) {}
  template <class Fn, class... Args>
  requires(sizeof...(Args) > 0) explicit FunctionalImpl(Fn function, Args&&... args)
      : function_([function, ... bound = std::forward<Args>(args)](Tensor input) {
          return function(std::move(input), bound...);
        }) {}

  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input) { return function_(std::move(input)); }
  bool is_serializable() const override { return false; }

 private:
  Function function_;
};
TERN_MODULE(Functional);

}  // namespace tern::nn
