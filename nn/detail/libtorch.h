#pragma once

#include <string>
#include <typeinfo>

#include <tern/core/base/visibility.h>

namespace tern::nn::detail {

/// True if modules and optimizers follow the C++ frontend of PyTorch where it differs from Python;
/// compat sets it for the whole program. Then Module::apply() visits parents before children, a
/// module that is registered twice is listed twice, an optimizer may be made without parameters and
/// add_parameters() extends its first group.
TERN_API bool& follows_libtorch();

/// Returns the C++ name of a type for texts: "tern::nn::LinearImpl", or "torch::nn::LinearImpl" if
/// compat prints as libtorch does.
std::string printed_type(const std::type_info& type);

}  // namespace tern::nn::detail
