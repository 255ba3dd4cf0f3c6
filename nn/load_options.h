#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <tern/core/base/visibility.h>

namespace tern::nn {

/// How `load_state_dict` takes a state.
///
/// Example:
///   net->load_state_dict(state, {.cast = true});
struct LoadOptions {
  /// True: missing and unexpected keys are errors.
  bool strict = true;
  /// True: the module takes the state's tensors over instead of copying their elements. Tensors on
  /// another device, and tensors that are not contiguous, are copied nevertheless. A module tensor
  /// on meta takes the state's tensor on the device where it is.
  bool assign = false;
  /// True: dtypes may differ; tensors are cast to the dtypes of the module. False: a different
  /// dtype is an error.
  bool cast = false;
};

/// The keys that `load_state_dict` missed in the state, and the keys of the state that the module
/// lacks.
struct IncompatibleKeys {
  /// Names of the module's tensors that the state lacks.
  std::vector<std::string> missing_keys;
  /// Keys of the state that the module lacks.
  std::vector<std::string> unexpected_keys;
};
/// Prints as Python does: "<All keys matched successfully>" when both lists are empty.
TERN_API std::ostream& operator<<(std::ostream& out, const IncompatibleKeys& keys);

}  // namespace tern::nn
