#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tern/nn/module_holder.h>

namespace tern::nn::utils {

/// Excludes the parameters from training whose names match `pattern`: they no longer require grad,
/// and their gradients are removed, so that an optimizer that has them leaves them alone. In a
/// pattern, `*` stands for any characters, also dots, and `?` for one. Returns the number of
/// matching parameters. Throws Error, with nothing changed, if no name matches.
///
/// Example:
///   nn::utils::freeze(net, "encoder.*");
///   nn::utils::unfreeze(net, "encoder.norm?.*");
TERN_API std::size_t freeze(const Module& module, std::string_view pattern = "*");
template <class Contained, class Derived>
std::size_t freeze(const ModuleHolder<Contained, Derived>& module, std::string_view pattern = "*") {
  return freeze(*module, pattern);
}
/// Includes the parameters in training whose names match `pattern`, as freeze() matches them: they
/// require grad. Returns their number. Throws Error, with nothing changed, if no name matches.
TERN_API std::size_t unfreeze(const Module& module, std::string_view pattern = "*");
template <class Contained, class Derived>
std::size_t unfreeze(const ModuleHolder<Contained, Derived>& module,
                     std::string_view pattern = "*") {
  return unfreeze(*module, pattern);
}

/// Returns the number of elements of all parameters; of those alone that require grad if
/// `trainable_only` is true. A tied parameter counts once.
TERN_API std::int64_t count_parameters(const Module& module, StrictBool trainable_only = false);
template <class Contained, class Derived>
std::int64_t count_parameters(const ModuleHolder<Contained, Derived>& module,
                              StrictBool trainable_only = false) {
  return count_parameters(*module, trainable_only);
}

}  // namespace tern::nn::utils
