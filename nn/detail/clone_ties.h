#pragma once

#include <optional>

#include <tern/nn/module.h>

namespace tern::nn::detail {

/// Ties the tensors of a copy like those of the original, for ties that reset() does not know
/// because they were made or removed later. A parameter that is registered without
/// bind_parameter() keeps its tensor, because a data member of the module may hold it, too.
///
/// Throws: Error if reset() ties two such parameters that are not tied in the original.
void match_ties(const Module& original, Module& copy, const std::optional<Device>& device);

}  // namespace tern::nn::detail
