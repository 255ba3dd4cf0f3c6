#pragma once

namespace tern::nn::detail {

/// How libtorch prints a bool.
constexpr const char* text_of_bool(bool value) { return value ? "true" : "false"; }

}  // namespace tern::nn::detail
