#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tern/core/tensor/tensor.h>
#include <tern/nn/models/causal_lm.h>
#include <tern/text/generation/options.h>
#include <tern/text/tokenizer.h>

namespace tern::text {

/// Why a sample ended.
enum class EndReason {
  /// One of eos_token_ids was written.
  kEndToken,
  /// One of stop_strings was written.
  kStopString,
  /// It has max_new_tokens tokens.
  kMaxNewTokens,
  /// The program's function returned false.
  kCallback
};

/// What generate() wrote.
struct Generation {
  /// Prompts and outputs, with padding behind samples that ended before others. Shape: [B, T + N],
  /// int64, on the device of the prompts.
  Tensor sequences;
  /// How many tokens were written for each sample, the ending token included.
  std::vector<std::int64_t> lengths;
  /// Why each sample ended.
  std::vector<EndReason> end_reasons;
  /// With beam search, the score of each sample: the sum of its tokens' log-probabilities, divided
  /// by the number of tokens to the power of length_penalty.
  std::vector<double> scores;
  /// How many tokens of each prompt the model read: less than all with
  /// GenerationOptions::prompt_cache and with a sliding window.
  std::int64_t prompt_tokens_read = 0;
  /// How long the first token took, in seconds.
  double seconds_to_first_token = 0;
  /// The speed of the tokens after the first, of all samples together; 0 if there is none.
  double tokens_per_second = 0;
};

/// What generate_text() wrote.
struct TextGeneration {
  /// The new text of each prompt.
  std::vector<std::string> texts;
  /// The tokens, prompts included.
  Generation generation;
};

/// Continues sequences of tokens, with a cache of keys and values. The model runs in evaluation
/// mode and records no gradients; after the call, or an exception, its modules have their modes
/// again.
///
/// Shape: input_ids int64 [B, T] on any device; shorter prompts have padding at the left, and
/// attention_mask says where.
/// Throws: Error for an option outside of its range; ShapeError, DTypeError and IndexError for
/// prompts that the model cannot read; what the model throws.
///
/// Example:
///   text::GenerationOptions options;
///   options.eos_token_ids = {2};
///   const text::Generation written = text::generate(*llama, tensor({{504, 3575, 282}}), options);
TERN_API Generation generate(models::CausalLM& model, const Tensor& input_ids,
                             const GenerationOptions& options = {});

/// Continues a text. Throws as generate() does.
///
/// Example:
///   options.on_text = [](std::string_view piece, std::size_t) {
///     std::cout << piece << std::flush;
///     return true;
///   };
///   text::generate_text(*llama, tokenizer, "The capital of France is", options);
TERN_API TextGeneration generate_text(models::CausalLM& model, const Tokenizer& tokenizer,
                                      const std::string& prompt,
                                      const GenerationOptions& options = {});

/// Continues several texts at once, with padding at the left. Throws as generate() does.
TERN_API TextGeneration generate_texts(models::CausalLM& model, const Tokenizer& tokenizer,
                                       const std::vector<std::string>& prompts,
                                       const GenerationOptions& options = {});

}  // namespace tern::text
