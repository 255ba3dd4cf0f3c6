#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tern/core/base/visibility.h>
#include <tern/core/tensor/dtype.h>
#include <tern/nn/models/causal_lm.h>
#include <tern/text/generation/chat_template.h>
#include <tern/text/generation/options.h>
#include <tern/text/tokenizer.h>

namespace tern::text {

/// How load_language_model() reads weights.
struct LoadLanguageModelOptions {
  /// The dtype of the parameters; that of the file if it is nullopt.
  std::optional<ScalarType> dtype = kFloat;
  /// Computes with the blocks of a GGUF file as they are: a quantised model, as large in memory as
  /// its file. With false they become numbers of the dtype.
  bool keep_blocks = true;
};

/// A language model with all that belongs to it.
struct LanguageModel {
  /// The model, on the CPU and in evaluation mode.
  std::shared_ptr<models::CausalLM> model;
  /// Its tokenizer.
  Tokenizer tokenizer;
  /// The tokens that end a text, those of the files.
  std::vector<std::int64_t> eos_token_ids = {};
  /// The token for padding, if the files name one.
  std::optional<std::int64_t> pad_token_id = std::nullopt;
  /// The chat template in Jinja; empty if there is none.
  std::string chat_template = {};
  /// The token that begins a text, as the template writes it; empty if there is none.
  std::string bos_token = {};
  /// The token that ends a text, as the template writes it; empty if there is none.
  std::string eos_token = {};

  /// Returns the chat template. Throws Error if there is none, and NotImplementedError for a
  /// template that tern does not know.
  TERN_API ChatTemplate chat() const;
  /// Returns options with the tokens that end texts, and with the padding.
  TERN_API GenerationOptions options() const;
};

/// Reads a language model: a folder of Hugging Face (config.json, safetensors, tokenizer files)
/// with GPT-2, Llama, Mistral or Qwen2, or a GGUF file of the architecture llama.
///
/// Throws: FileError for files that are missing or damaged, NotImplementedError for other models
/// and tokenizers.
///
/// Example:
///   const text::LanguageModel smollm = text::load_language_model("SmolLM2.Q4_1.gguf");
///   text::GenerationOptions options = smollm.options();
///   options.encoding.add_special_tokens = false;
///   const std::string prompt = smollm.chat().render({{"user", "What is 12 + 30?"}});
///   std::cout << text::generate_text(*smollm.model, smollm.tokenizer, prompt, options).texts[0];
TERN_API LanguageModel load_language_model(const std::string& path,
                                           const LoadLanguageModelOptions& options = {});

}  // namespace tern::text
