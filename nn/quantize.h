#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tern/core/base/block_format.h>
#include <tern/nn/module_holder.h>

// Quantised weights: modules that hold their weight as ggml's blocks.

namespace tern::nn {

/// Which modules quantize_() leaves alone.
struct QuantizeOptions {
  /// The names of modules that keep their weight, as named_modules() gives them. The modules below
  /// them keep theirs, too.
  std::vector<std::string> skip = {};
  /// False: only Linear is quantised, not Embedding.
  bool embeddings = true;
  /// True: a weight whose rows are no whole number of blocks is kept. False: it is an error.
  bool skip_misfits = false;
};

/// Returns the format of a module's weight, or nothing if the module keeps its weight. Gets the
/// module's name and the module, a Linear or an Embedding.
using ChooseFormat = std::function<std::optional<BlockFormat>(const std::string&, const Module&)>;

/// Replaces the parameter `weight` of each Linear and Embedding in `module` by a buffer of blocks,
/// such as "weight_q8_0", with which they compute from then on. The weights are constants: they are
/// not trained, but gradients pass through the modules to what comes before. Modules that share a
/// weight share its blocks. Returns the number of modules that are quantised now and were not
/// before.
///
/// These keep their weight: modules that share it with a module that keeps it, out_proj of
/// MultiheadAttention, which reads the weight itself, an Embedding with max_norm, and modules that
/// are quantised already. Optimizers must be made afterwards: theirs would train parameters that
/// nothing reads any more.
///
/// Throws, with nothing changed: ShapeError for a weight whose rows are no whole number of blocks,
/// Error for numbers that are infinite or NaN, for a name in `skip` that no module has, for two
/// formats of a shared weight, for a weight without numbers (lazy or parametrized), and for Q6_K,
/// NotImplementedError for weights that are not on the CPU.
///
/// Example:
///   nn::quantize_(*model, BlockFormat::kQ4_0, {.skip = {"lm_head"}});
///   tern::save(model, "model-q4.safetensors");
TERN_API std::size_t quantize_(Module& module, BlockFormat format,
                               const QuantizeOptions& options = {});
template <class Contained, class Derived>
std::size_t quantize_(const ModuleHolder<Contained, Derived>& module, BlockFormat format,
                      const QuantizeOptions& options = {}) {
  return quantize_(*module, format, options);
}
/// Does the same with a format for each module. Rows that fit no block are an error.
TERN_API std::size_t quantize_(Module& module, const ChooseFormat& choose);
template <class Contained, class Derived>
std::size_t quantize_(const ModuleHolder<Contained, Derived>& module, const ChooseFormat& choose) {
  return quantize_(*module, choose);
}

}  // namespace tern::nn
