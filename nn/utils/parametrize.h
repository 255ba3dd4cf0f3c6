#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tern/nn/any_module.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>

// Parametrizations compute a parameter of a module from other tensors, which are trained and saved
// in its place: weight = f(original). The module's child "parametrizations" holds f and the
// originals, under PyTorch's names: "parametrizations.weight.original".
//
// The weight is computed each time the module is called through its holder, by Sequential or by
// AnyModule. At other times the member (`fc->weight`) is undefined;
// parametrization_list(*fc, "weight")->forward() returns its value. Two threads must not call one
// parametrized module at the same time.

namespace tern::nn::utils::parametrize {

/// The modules that compute one parametrized tensor, one after the other, and the original tensors
/// that the first of them takes.
class TERN_API ParametrizationListImpl : public Cloneable<ParametrizationListImpl> {
 public:
  /// Computes the originals of a tensor. The function of a module that has no right_inverse() is
  /// null: the tensor itself is the original.
  using Inverse = std::vector<Tensor> (*)(Module& module, const Tensor& value);

  /// Makes the list of `parametrization`. Throws Error if the tensor that it computes has another
  /// dtype or other sizes than `original`, unless `unsafe` is true.
  ParametrizationListImpl(AnyModule parametrization, Inverse inverse, bool has_one_original,
                          const Tensor& original, bool is_parameter, StrictBool unsafe);

  std::shared_ptr<Module> clone(const std::optional<Device>& device = std::nullopt) const override;
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  /// Adds a parametrization, which takes the result of those before it. Throws Error if its result
  /// has another dtype or other sizes, unless `unsafe` is true.
  void append(AnyModule parametrization, Inverse inverse, StrictBool unsafe);
  /// Computes the tensor.
  Tensor forward();
  /// Sets the originals so that the computed tensor is `value`, if the parametrizations can give
  /// it. Throws Error if one of them has no right_inverse().
  void right_inverse(const Tensor& value);

  /// Returns the number of parametrizations.
  std::size_t size() const noexcept { return modules_.size(); }
  /// Returns the parametrization at an index. Throws IndexError out of range.
  std::shared_ptr<Module> operator[](StrictInteger<std::size_t> index) const;
  /// Returns true if there is one original tensor, "original", not a list "original0", "original1",
  /// ...
  bool is_tensor() const noexcept { return has_one_original_; }
  /// Returns true if the tensor was a parameter, false if it was a buffer.
  bool is_parameter() const noexcept { return is_parameter_; }
  /// Returns the original tensors.
  std::vector<Tensor> originals() const;

 private:
  Tensor run(const std::vector<Tensor>& originals) const;
  void add(AnyModule parametrization, Inverse inverse);

  std::vector<AnyModule> modules_;
  std::vector<Inverse> inverses_;
  bool has_one_original_, is_parameter_, unsafe_;
};

namespace detail {

template <class M>
concept HasInverse = requires(M& module, const Tensor& value) {
  module.right_inverse(value);
};

/// Returns true if the first parametrization of the type M takes one tensor.
template <class M>
constexpr bool has_one_original() {
  if constexpr (HasInverse<M>) {
    return std::is_same_v<decltype(std::declval<M&>().right_inverse(std::declval<Tensor>())),
                          Tensor>;
  } else {
    return true;
  }
}

template <class M>
ParametrizationListImpl::Inverse inverse_of() {
  if constexpr (HasInverse<M>) {
    return [](Module& module, const Tensor& value) {
      return std::vector<Tensor>{static_cast<M&>(module).right_inverse(value)};
    };
  } else {
    return nullptr;
  }
}

TERN_API void add_parametrization(Module& module, const std::string& name,
                                  AnyModule parametrization,
                                  ParametrizationListImpl::Inverse inverse, bool has_one_original,
                                  bool unsafe);

}  // namespace detail

/// Replaces a parameter or buffer of `module` by a function of other tensors. A module that has
/// parametrizations of this tensor computes the new one from their result. Returns the module.
///
/// `parametrization` is a module whose `Tensor forward(const Tensor& original)` computes the
/// tensor, or a function of a tensor. It may have `Tensor right_inverse(const Tensor& value)`,
/// which returns the original for a value; without it, the old value of the tensor is the original.
/// The parameter keeps its identity, so optimizers stay valid. If `right_inverse` returns a
/// std::vector<Tensor>, forward takes that many tensors, and they are new parameters.
///
/// Throws: Error if the module has no such tensor, if the tensor is not bound to a data member
/// (bind_parameter()), and if the computed tensor has another dtype or other sizes, unless `unsafe`
/// is true.
///
/// Example:
///   struct SymmetricImpl : nn::Cloneable<SymmetricImpl> {
///     void reset() override {}
///     Tensor forward(const Tensor& x) { return x.triu() + x.triu(1).t(); }
///   };
///   TERN_MODULE(Symmetric);
///   nn::Linear fc(3, 3);
///   nn::utils::parametrize::register_parametrization(*fc, "weight", Symmetric());
template <nn::detail::ModuleLike M>
Module& register_parametrization(Module& module, const std::string& name, M&& parametrization,
                                 StrictBool unsafe = false) {
  using Held = typename nn::detail::HeldModule<std::remove_cvref_t<M>>::type;
  detail::add_parametrization(module, name, AnyModule(std::forward<M>(parametrization)),
                              detail::inverse_of<Held>(), detail::has_one_original<Held>(), unsafe);
  return module;
}

/// Returns true if the module has a parametrization of the tensor `name`, of any tensor by default.
TERN_API bool is_parametrized(const Module& module,
                              const std::optional<std::string>& name = std::nullopt);

/// Returns the parametrizations of a tensor. Throws Error if there are none.
///
/// Example:
///   Tensor weight = nn::utils::parametrize::parametrization_list(*fc, "weight")->forward();
TERN_API std::shared_ptr<ParametrizationListImpl> parametrization_list(const Module& module,
                                                                       const std::string& name);

/// Removes the parametrizations of a tensor and registers it again, after the module's other
/// tensors. It has its computed value, or that of the original if `leave_parametrized` is false.
/// Returns the module. A tensor with one original keeps the original's identity, so optimizers stay
/// valid.
///
/// Throws: Error if the tensor has no parametrization, and without `leave_parametrized` if it has
/// several originals.
TERN_API Module& remove_parametrizations(Module& module, const std::string& name,
                                         StrictBool leave_parametrized = true);

}  // namespace tern::nn::utils::parametrize
