#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/modules/linear.h>
#include <tern/nn/options/options_arg.h>

namespace tern::nn {

/// Options of SwiGLU.
struct SwiGLUOptions {
  /// Sets both sizes.
  SwiGLUOptions(StrictInt in_features, StrictInt hidden_features)
      : in_features_(in_features), hidden_features_(hidden_features) {}
  /// The last size of input and result.
  TERN_ARG(std::int64_t, in_features);
  /// The size between the maps.
  TERN_ARG(std::int64_t, hidden_features);
  /// True: the maps have biases.
  TERN_ARG(bool, bias) = false;
  /// The device of the parameters; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the parameters; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};

/// Options of GEGLU.
struct GEGLUOptions {
  /// Sets both sizes.
  GEGLUOptions(StrictInt in_features, StrictInt hidden_features)
      : in_features_(in_features), hidden_features_(hidden_features) {}
  /// The last size of input and result.
  TERN_ARG(std::int64_t, in_features);
  /// The size between the maps.
  TERN_ARG(std::int64_t, hidden_features);
  /// True: the maps have biases.
  TERN_ARG(bool, bias) = false;
  /// "none" for the exact GELU, "tanh" for its approximation, as in Gemma.
  TERN_ARG(std::string, approximate) = "none";
  /// The device of the parameters; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the parameters; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};

/// The feed-forward part of Llama's layers (Shazeer, 2020): down_proj(silu(gate_proj(x)) *
/// up_proj(x)). The keys of its parameters are those of Hugging Face's files.
///
/// Shape: [..., in_features] -> [..., in_features]
/// Parameters: those of the Linears gate_proj, up_proj and down_proj
///
/// Example:
///   nn::SwiGLU mlp(576, 1536);
class TERN_API SwiGLUImpl : public Cloneable<SwiGLUImpl> {
 public:
  /// Makes the maps.
  SwiGLUImpl(StrictInt in_features, StrictInt hidden_features);
  /// Makes the maps. Throws ShapeError for negative sizes.
  explicit SwiGLUImpl(const SwiGLUOptions& options_);

  void reset() override;
  /// Returns down_proj(silu(gate_proj(input)) * up_proj(input)).
  Tensor forward(const Tensor& input);

  /// The options given to the constructor.
  SwiGLUOptions options;
  /// The map whose activation is the gate, [hidden_features, in_features].
  Linear gate_proj{nullptr};
  /// The map that the gate multiplies, [hidden_features, in_features].
  Linear up_proj{nullptr};
  /// The map of the product, [in_features, hidden_features].
  Linear down_proj{nullptr};
};
TERN_MODULE(SwiGLU);

/// The feed-forward part with a GELU as the activation of the gate (Shazeer, 2020):
/// down_proj(gelu(gate_proj(x)) * up_proj(x)).
///
/// Shape: [..., in_features] -> [..., in_features]
/// Parameters: those of the Linears gate_proj, up_proj and down_proj
///
/// Example:
///   nn::GEGLU mlp(nn::GEGLUOptions(256, 1024).approximate("tanh"));
class TERN_API GEGLUImpl : public Cloneable<GEGLUImpl> {
 public:
  /// Makes the maps.
  GEGLUImpl(StrictInt in_features, StrictInt hidden_features);
  /// Makes the maps. Throws ShapeError for negative sizes.
  explicit GEGLUImpl(const GEGLUOptions& options_);

  void reset() override;
  /// Returns down_proj(gelu(gate_proj(input)) * up_proj(input)).
  Tensor forward(const Tensor& input);

  /// The options given to the constructor.
  GEGLUOptions options;
  /// The map whose activation is the gate, [hidden_features, in_features].
  Linear gate_proj{nullptr};
  /// The map that the gate multiplies, [hidden_features, in_features].
  Linear up_proj{nullptr};
  /// The map of the product, [in_features, hidden_features].
  Linear down_proj{nullptr};
};
TERN_MODULE(GEGLU);

}  // namespace tern::nn
