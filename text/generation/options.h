#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tern/core/base/array_ref.h>
#include <tern/core/tensor/generator.h>
#include <tern/core/tensor/tensor.h>
#include <tern/text/encoding.h>
#include <tern/text/generation/prompt_cache.h>

namespace tern::text {

/// When beam search ends.
enum class EarlyStopping {
  /// When the best running beam, divided as if it ended now, is not better than the worst finished
  /// one.
  kFalse,
  /// When `num_beams` beams are finished.
  kTrue,
  /// When no running beam can become better than the worst finished one.
  kNever
};

/// How a model continues texts. Names and defaults are those of transformers' GenerationConfig.
///
/// With `do_sample`, logits pass the repetition penalty, the temperature, top-k, top-p and min-p in
/// this order. Without it, they pass the repetition penalty alone, and the best token is taken, the
/// first one of several.
///
/// Example:
///   text::GenerationOptions options;
///   options.max_new_tokens = 100;
///   options.do_sample = true;
///   options.temperature = 0.7;
///   options.seed = 1;
struct GenerationOptions {
  /// The most tokens to write.
  std::int64_t max_new_tokens = 20;
  /// Draws tokens; otherwise the best one is taken.
  bool do_sample = false;
  /// Divides the logits: less than 1 makes likely tokens more likely.
  double temperature = 1;
  /// Draws from so many of the best tokens; 0 for all.
  std::int64_t top_k = 50;
  /// Draws from the best tokens whose probabilities add up to this number; 1 for all.
  double top_p = 1;
  /// Draws from tokens with at least this part of the best token's probability; 0 for all.
  double min_p = 0;
  /// More than 1 makes tokens of the prompt and of the output less likely.
  double repetition_penalty = 1;
  /// Tokens that end a sample. They are part of the output.
  std::vector<std::int64_t> eos_token_ids = {};
  /// Fills samples that ended before others, and the left of prompts; without it the first of
  /// eos_token_ids does, or 0.
  std::optional<std::int64_t> pad_token_id = std::nullopt;
  /// Texts that end a sample, also within a token. The text that is returned ends in front of them.
  /// They need a tokenizer: generate_text().
  std::vector<std::string> stop_strings = {};

  /// How many beams a beam search keeps; 1 is no beam search.
  std::int64_t num_beams = 1;
  /// A beam's score is divided by its number of tokens to the power of this number.
  double length_penalty = 1;
  /// When beam search ends.
  EarlyStopping early_stopping = EarlyStopping::kFalse;

  /// Seeds the draws of this call: the same seed gives the same tokens, on every device.
  std::optional<std::uint64_t> seed = std::nullopt;
  /// A generator of the CPU for the draws; without it and a seed, the default generator.
  std::optional<Generator> generator = std::nullopt;
  /// The most rows in the cache. When it is full, the model reads the newer half of them again, as
  /// a prompt of its own, so that texts may become longer than the model's context.
  std::optional<std::int64_t> sliding_window = std::nullopt;
  /// Keeps keys and values for the next call, which then reads what is new of its prompt alone. For
  /// one prompt without padding, without beam search and a sliding window.
  std::shared_ptr<PromptCache> prompt_cache = nullptr;
  /// False for padding at the left of the prompts, bool with the sizes of input_ids.
  Tensor attention_mask = {};
  /// Gets the tokens of each step, one per sample: padding for those that ended. Returns false to
  /// stop.
  std::function<bool(ArrayRef<std::int64_t> tokens)> on_tokens = nullptr;

  /// Gets the text of a sample piece by piece, in whole characters. Returns false to end that
  /// sample. For generate_text().
  std::function<bool(std::string_view piece, std::size_t sample)> on_text = nullptr;
  /// How generate_text() encodes prompts.
  EncodeOptions encoding = {};
};

}  // namespace tern::text
