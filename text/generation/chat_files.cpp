#include <sys/stat.h>

#include <tern/text/files/detail/json.h>
#include <tern/text/generation/detail/language_files.h>

namespace tern::text {
namespace {

/// Reads the text of a token in tokenizer_config.json: a string, or an object.
std::string token_text(const Json& json) {
  if (json.is_object()) return json.at("content").text();
  return json.text_or("");
}

/// The template of tokenizer_config.json: a text, or a list of named ones with a "default".
std::string template_of(const Json& json) {
  if (!json.is_list()) return json.text();
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json.at(i).at("name").text() == "default") return json.at(i).at("template").text();
  }
  json.refuse("has no template with the name 'default'");
}

}  // namespace

bool is_file(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

ChatFiles read_chat_files(const std::string& folder) {
  ChatFiles files;
  const std::string config_path = folder + "/tokenizer_config.json";
  if (is_file(config_path)) {
    const nlohmann::json value = parse_json(read_file(config_path), config_path);
    const Json config(value, config_path, "");
    files.bos = token_text(config.find("bos_token"));
    files.eos = token_text(config.find("eos_token"));
    const Json chat = config.find("chat_template");
    if (!chat.is_null()) files.source = template_of(chat);
  }
  const std::string jinja_path = folder + "/chat_template.jinja";
  if (is_file(jinja_path)) files.source = read_file(jinja_path);
  return files;
}

}  // namespace tern::text
