#pragma once

#include <string>
#include <typeinfo>

namespace tern::nn::detail {

/// Returns the C++ name of a type for texts: "tern::nn::LinearImpl", or "torch::nn::LinearImpl" if
/// compat prints as libtorch does.
std::string printed_type(const std::type_info& type);

}  // namespace tern::nn::detail
