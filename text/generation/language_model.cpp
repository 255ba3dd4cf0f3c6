#include <tern/text/generation/language_model.h>

#include <filesystem>

#include <tern/core/base/error.h>
#include <tern/text/generation/detail/language_files.h>

namespace tern::text {

ChatTemplate LanguageModel::chat() const {
  TERN_CHECK(!chat_template.empty(), Error,
             "text::LanguageModel: the files have no chat template; choose a form: "
             "ChatTemplate(ChatForm::kChatML)");
  return ChatTemplate::from_jinja(chat_template, bos_token, eos_token);
}

GenerationOptions LanguageModel::options() const {
  GenerationOptions options;
  options.eos_token_ids = eos_token_ids;
  options.pad_token_id = pad_token_id;
  return options;
}

LanguageModel load_language_model(const std::string& path,
                                  const LoadLanguageModelOptions& options) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return load_folder(path, options);
  TERN_CHECK(is_file(path), FileError, "text::load_language_model: no file or folder '", path, "'");
  return load_gguf(path, options);
}

}  // namespace tern::text
