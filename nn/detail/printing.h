#pragma once

#include <tern/core/base/text.h>
#include <tern/core/base/visibility.h>

namespace tern::nn::detail {

/// Returns a bool as libtorch prints it.
constexpr const char* text_of_bool(bool value) { return value ? "true" : "false"; }

/// Prints the parts. Neither the locale nor the precision of `stream` changes numbers.
inline void print_to(std::ostream& stream, std::initializer_list<tern::detail::TextPart> parts) {
  tern::detail::print_text(stream, tern::detail::join(parts));
}

/// Returns the namespace that is printed before the names of tern's own modules: "tern", unless
/// compat sets "torch".
TERN_API const char*& printed_namespace();

}  // namespace tern::nn::detail
