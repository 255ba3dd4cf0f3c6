#include <tern/text/generation/language_model.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

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
  const bool is_folder = std::filesystem::is_directory(path, ignored);
  TERN_CHECK(is_folder || is_file(path), FileError,
             "text::load_language_model: no file or folder '", path, "'");
  LanguageModel model = is_folder ? load_folder(path, options) : load_gguf(path, options);
#ifdef __GLIBC__
  // Reading has freed many small blocks, 12 MB of a tokenizer.json of 2 MB. Gives them back.
  malloc_trim(0);
#endif
  return model;
}

}  // namespace tern::text
