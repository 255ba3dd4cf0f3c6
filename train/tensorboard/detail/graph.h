#pragma once

#include <functional>
#include <vector>

#include <tern/core/tensor/tensor.h>
#include <tern/nn/module.h>
#include <tern/train/tensorboard/detail/proto.h>

namespace tern::train::detail {

/// Calls a module in evaluation mode and returns a GraphDef of the calls of its layers. Restores
/// modes and generators, also if the module throws.
Message graph_of(nn::Module& module, const std::vector<Tensor>& inputs,
                 const std::function<void(const std::vector<Tensor>&)>& call);

}  // namespace tern::train::detail
