#pragma once

#include <string>
#include <typeinfo>

#include <tern/core/base/visibility.h>

namespace tern::detail {

/// Returns the C++ name of a type: "tern::nn::LinearImpl".
TERN_API std::string type_name(const std::type_info& type);

}  // namespace tern::detail
