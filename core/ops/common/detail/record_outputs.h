#pragma once

#include <functional>
#include <initializer_list>
#include <vector>

#include <tern/core/autograd/record.h>

// How an op with several differentiable outputs defines its gradient: one rule for all inputs.

namespace tern::detail {

/// Returns one gradient per input. `gradients` has one per output, undefined if none arrived, but
/// at least one is defined.
using OutputsRule = std::function<std::vector<Tensor>(const std::vector<Tensor>& gradients,
                                                      const std::vector<Tensor>& saved)>;

/// Records an op: the new tensors `outputs` become its outputs. `name` must be a string literal.
/// Tensors of `saved` may be outputs. Tensors of `inputs` and `saved` may be undefined.
void record_outputs(const char* name, std::initializer_list<const Tensor*> outputs,
                    std::initializer_list<const Tensor*> inputs,
                    std::initializer_list<const Tensor*> saved, OutputsRule rule);

}  // namespace tern::detail
