#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <tern/nn/options/options_arg.h>
#include <tern/nn/utils/parametrize.h>

// Normalised weights, as parametrizations; see parametrize.h. Each function takes a module, or a
// holder, which it returns:
//
//   auto fc = nn::utils::parametrizations::weight_norm(nn::Linear(784, 400));

namespace tern::nn::utils::parametrizations {

/// Options of spectral_norm().
struct SpectralNormOptions {
  /// The number of power iterations of each call in training.
  TERN_ARG(std::int64_t, n_power_iterations) = 1;
  /// The least length that a vector is divided by.
  TERN_ARG(double, eps) = 1e-12;
  /// The dimension of the outputs; by default 1 for transposed convolutions, else 0.
  TERN_ARG(std::optional<std::int64_t>, dim);
};

/// Separates the length and the direction of a weight (Salimans and Kingma, 2016): weight = g * v /
/// |v|, with one length g for each index of dimension `dim`; with nullopt or -1, one for the whole
/// weight. Returns the module.
///
/// The parameters `parametrizations.weight.original0` (g) and `original1` (v) take the place of the
/// weight, so optimizers must be made afterwards.
///
/// Throws: Error if the module has no such tensor, IndexError for a dimension out of range.
TERN_API Module& weight_norm(Module& module, const std::string& name = "weight",
                             std::optional<StrictInt> dim = 0);
/// Does the same to the module of a holder, and returns the holder.
template <class Holder>
requires nn::detail::kIsHolder<Holder> Holder weight_norm(const Holder& holder,
                                                          const std::string& name = "weight",
                                                          std::optional<StrictInt> dim = 0) {
  weight_norm(static_cast<Module&>(*holder), name, dim);
  return holder;
}

/// Divides a weight by its largest singular value (Miyato et al., 2018), which power iterations
/// estimate: each call in training improves the estimate. A vector is divided by its length.
/// Returns the module.
///
/// The weight stays the parameter, under the name `parametrizations.weight.original`, so optimizers
/// stay valid. The buffers `parametrizations.weight.0._u` and `_v` are the singular vectors; they
/// start with random numbers and 15 iterations.
///
/// Throws: Error if the module has no such tensor and if n_power_iterations is not positive,
/// IndexError for a dimension out of range.
TERN_API Module& spectral_norm(Module& module, const std::string& name = "weight",
                               const SpectralNormOptions& options = {});
/// Does the same to the module of a holder, and returns the holder.
template <class Holder>
requires nn::detail::kIsHolder<Holder> Holder
spectral_norm(const Holder& holder, const std::string& name = "weight",
              const SpectralNormOptions& options = {}) {
  spectral_norm(static_cast<Module&>(*holder), name, options);
  return holder;
}

}  // namespace tern::nn::utils::parametrizations
