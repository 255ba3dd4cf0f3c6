#pragma once

#include <tern/core/base/visibility.h>

namespace tern::nn::detail {

/// How libtorch prints a bool.
constexpr const char* text_of_bool(bool value) { return value ? "true" : "false"; }

/// The namespace that stands before the names of tern's own modules in print: "tern", unless
/// compat says "torch".
TERN_API const char*& printed_namespace();

}  // namespace tern::nn::detail
