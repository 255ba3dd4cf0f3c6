#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tern/core/tensor/state.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/options_arg.h>

// Low-rank adaptation (Hu et al., 2021): a linear layer keeps its weight W and learns two small
// matrices A and B beside it: y = W x + alpha / rank * B A x.

namespace tern::nn::utils {

/// Options of add_lora().
struct LoraOptions {
  /// Sets the rank: the rows of A and the columns of B.
  LoraOptions(StrictInt rank = 8) : rank_(rank) {}
  /// The rank; positive.
  TERN_ARG(std::int64_t, rank);
  /// B A x counts alpha / rank times.
  TERN_ARG(double, alpha) = 16;
  /// The layers to adapt: patterns of their names, as for freeze().
  TERN_ARG(std::vector<std::string>, targets) = {"*q_proj", "*v_proj"};
};

/// Gives each Linear of `module` whose name matches one of the targets two matrices: the children
/// lora_A, which starts like the weight of a new Linear, and lora_B, which starts as zeros, so that
/// the results stay. All other parameters are frozen. Returns the number of adapted layers.
///
/// The layers must be called through their holders, by Sequential or by AnyModule. A quantised
/// weight can be adapted, too: A and B are then float32. A clone of an adapted module has adapters
/// of its own.
///
/// Throws: Error, with nothing changed, if a target matches no Linear, if a layer is adapted
/// already or parametrized, for the out_proj of a MultiheadAttention, and unless the rank is
/// positive.
///
/// Example:
///   nn::utils::add_lora(*net, nn::utils::LoraOptions(8).targets({"*q_proj", "*v_proj"}));
///   optim::AdamW optimizer(net->parameters(), 1e-3);  // steps lora_A and lora_B alone
///   ...
///   save(nn::utils::lora_state_dict(*net), "adapter_model.safetensors");
TERN_API std::size_t add_lora(Module& module, const LoraOptions& options = {});
/// Returns the adapters' matrices alone. The keys are those of the library PEFT:
/// "base_model.model.layers.0.q_proj.lora_A.weight" for the layer "layers.0.q_proj".
TERN_API State lora_state_dict(const Module& module);
/// Copies matrices into the adapters of a module. Throws Error, with nothing changed, unless the
/// keys are those of lora_state_dict(); ShapeError unless the sizes are.
TERN_API void load_lora_state_dict(Module& module, const State& state);
/// Adds alpha / rank * B A to the weights and removes the adapters. Parameters stay frozen. A layer
/// whose weight is tied to another one gets a weight of its own. Throws Error, with nothing
/// changed, for an adapted layer whose weight is quantised or parametrized.
TERN_API void merge_lora(Module& module);

}  // namespace tern::nn::utils
