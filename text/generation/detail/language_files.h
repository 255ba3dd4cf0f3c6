#pragma once

#include <string>

#include <tern/text/generation/language_model.h>

namespace tern::text {

/// Reads a folder of Hugging Face.
LanguageModel load_folder(const std::string& folder, const LoadLanguageModelOptions& options);
/// Reads a GGUF file.
LanguageModel load_gguf(const std::string& path, const LoadLanguageModelOptions& options);

/// The chat template of a folder, and the tokens that it needs.
struct ChatFiles {
  std::string source, bos, eos;
};
/// Reads chat_template.jinja and tokenizer_config.json, of which neither must be there.
ChatFiles read_chat_files(const std::string& folder);

/// Returns true for a regular file.
bool is_file(const std::string& path);

}  // namespace tern::text
