#pragma once

#include <tern/core/base/visibility.h>

namespace tern::nn::detail {

/// Returns a bool as libtorch prints it.
constexpr const char* text_of_bool(bool value) { return value ? "true" : "false"; }

/// Returns the namespace that is printed before the names of tern's own modules: "tern", unless
/// compat sets "torch".
TERN_API const char*& printed_namespace();

}  // namespace tern::nn::detail
