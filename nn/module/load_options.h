#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <tern/core/base/visibility.h>

namespace tern::nn {

/// Options of `load_state_dict`.
///
/// Example:
///   net->load_state_dict(state, {.cast = true});
struct LoadOptions {
  /// True: missing and unexpected keys are errors.
  bool strict = true;
  /// True: the module takes over the state's tensors instead of copying their elements. Tensors on
  /// another device and non-contiguous tensors are still copied. A module tensor on meta takes over
  /// the state's tensor without changing its device.
  bool assign = false;
  /// True: dtypes may differ; tensors are cast to the dtypes of the module. False: a different
  /// dtype is an error.
  bool cast = false;
};

/// The keys that the state or the module lacks.
struct IncompatibleKeys {
  /// Names of the module's tensors that the state lacks.
  std::vector<std::string> missing_keys;
  /// Keys of the state that the module lacks.
  std::vector<std::string> unexpected_keys;
};
/// Prints as Python does: "<All keys matched successfully>" when both lists are empty.
TERN_API std::ostream& operator<<(std::ostream& out, const IncompatibleKeys& keys);

}  // namespace tern::nn
