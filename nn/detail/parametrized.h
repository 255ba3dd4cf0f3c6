#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tern/nn/module.h>

namespace tern::nn {

namespace utils::parametrize {
class ParametrizationListImpl;
}  // namespace utils::parametrize

namespace detail {

/// The bound members of a module that are computed by parametrizations, which are its child
/// "parametrizations", a ModuleDict of one ParametrizationListImpl per member.
class ParametrizedMembers {
 public:
  using List = std::shared_ptr<utils::parametrize::ParametrizationListImpl>;

  /// Returns the hooks of a module.
  static std::shared_ptr<const Hooks> hooks(const Module& module) { return module.hooks_; }

  /// Returns true if the module has a parametrized member.
  static bool has_any(const Module& module) { return module.is_parametrized_; }

  /// Computes the parametrized tensors and stores them in the members. `outer` takes the old
  /// values.
  static void bind(Module& module, std::vector<Tensor>& outer);
  /// Restores the old values.
  static void unbind(Module& module, std::vector<Tensor>& outer) noexcept;

  /// Returns the parametrizations of a tensor, or null.
  static List find(const Module& module, const std::string& name);
  /// Returns the registered parameter or buffer, or null. Sets `is_parameter`.
  static const Tensor* registered(const Module& module, const std::string& name,
                                  bool& is_parameter);
  /// Returns the data member that is bound to a registered tensor, or null.
  static BoundMember* member(Module& module, const std::string& name);
  /// Throws Error unless a data member of the module is bound to the tensor.
  static void check_member(const Module& module, const std::string& name);
  /// Replaces a registered tensor by its parametrizations.
  static void attach(Module& module, const std::string& name, const List& list);
  /// Replaces the parametrizations of a tensor by the tensor.
  static void release(Module& module, const std::string& name, const Tensor& tensor,
                      bool is_parameter);
  /// Clones the parametrizations of `from` into `to`, a copy without them.
  static void adopt(Module& to, const Module& from, const std::optional<Device>& device);

 private:
  static void forget(Module& module, const std::string& name);
};

}  // namespace detail
}  // namespace tern::nn
