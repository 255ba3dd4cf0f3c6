#pragma once

#include <vector>

#include <tern/core/ops/nn/detail/recurrent.h>

// Whole layers by the library of a device: cuDNN's, on CUDA.

namespace tern::detail {

/// What backward() needs, in the order in which it is saved. A layer saves either the reserve of
/// the library, or the gates and, of an LSTM, the cells.
enum SavedOfLayer : std::size_t {
  kInput,
  kFirstH,
  kFirstC,
  kWIh,
  kWHh,
  kBIh,
  kBHh,
  kGates,
  kOut,
  kCells,
  kReserve,
  kSavedOfLayer
};
constexpr std::size_t kInputsOfLayer = kGates;  // the differentiable ones come first

/// Runs a layer on the tensors kInput .. kBHh of `saved`. With `is_training` also sets the reserve.
/// Returns false if there is no library, the program forbids it, it does not take this layer, or
/// there is no memory for it: nothing has changed then.
bool run_in_library(const RecurrentLayer& layer, const std::vector<Tensor>& saved, bool is_training,
                    RecurrentResult& result, Tensor& reserve);

/// Computes the gradients of what run_in_library() computed: `results` has one for each input,
/// those of the parameters if one of them is wanted. Returns false if the library no longer can.
bool differentiate_in_library(const RecurrentLayer& layer, const std::vector<Tensor>& saved,
                              const std::vector<Tensor>& gradients, bool wants_parameters,
                              std::vector<Tensor>& results);

}  // namespace tern::detail
