#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <sys/stat.h>

#include <tern/text/files/detail/json.h>

namespace tern::text {
namespace {

const nlohmann::json kNull;

std::string key_of(const std::string& key, std::string_view name) {
  return key.empty() ? std::string(name) : detail::text_of(key, ".", name);
}

}  // namespace

Json Json::find(const char* name) const {
  expect_object();
  const auto found = value_->find(name);
  return {found == value_->end() ? kNull : *found, *file_, key_of(key_, name)};
}

Json Json::at(const char* name) const {
  Json found = find(name);
  if (!value_->contains(name)) found.refuse("is missing");
  return found;
}

Json Json::at(std::size_t index) const {
  return {(*value_)[index], *file_, detail::text_of(key_, "[", index, "]")};
}

std::size_t Json::size() const {
  expect_list();
  return value_->size();
}

const std::string& Json::text() const {
  if (!value_->is_string()) expected("a string");
  return value_->get_ref<const std::string&>();
}

bool Json::boolean() const {
  if (!value_->is_boolean()) expected("true or false");
  return value_->get<bool>();
}

std::uint32_t Json::integer(std::uint64_t max) const {
  if (!value_->is_number_unsigned() || value_->get<std::uint64_t>() > max) {
    expected(detail::text_of("an integer from 0 to ", max).c_str());
  }
  return value_->get<std::uint32_t>();
}

const Json& Json::expect_object() const {
  if (!value_->is_object()) expected("an object");
  return *this;
}

const Json& Json::expect_list() const {
  if (!value_->is_array()) expected("a list");
  return *this;
}

std::string Json::shown() const {
  if (value_->is_object()) return "an object";
  if (value_->is_array()) return detail::text_of("a list of ", value_->size());
  std::string text = value_->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  if (text.size() > 80) text = text.substr(0, 77) + "...";
  return text;
}

void Json::expected(const char* what) const { refuse("must be ", what, ", got ", shown()); }

void Json::refuse_text(const std::string& text) const {
  TERN_CHECK(false, FileError, *file_, ": key '", key_, "' ", text);
}

void Json::not_implemented(std::string_view what) const {
  TERN_CHECK(false, NotImplementedError, *file_, ": key '", key_, "': tern has no ", what);
}

nlohmann::json parse_json(std::string_view text, const std::string& file) {
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    std::string what = error.what();  // "[json.exception.parse_error.101] parse error at line ..."
    what.erase(0, what.find("] ") + 2);
    TERN_CHECK(false, FileError, file, ": is no JSON: ", what);
  }
}

std::string read_file(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  TERN_CHECK(file != nullptr, FileError, path, ": cannot be opened, ",
             errno == ENOENT ? "there is no such file" : "errno ",
             errno == ENOENT ? "" : detail::text_of(errno));
  struct stat info {};
  TERN_CHECK(fstat(fileno(file.get()), &info) == 0 && S_ISREG(info.st_mode), FileError, path,
             ": is no regular file");
  std::string text(static_cast<std::size_t>(info.st_size), '\0');
  const std::size_t count = std::fread(text.data(), 1, text.size(), file.get());
  TERN_CHECK(count == text.size(), FileError, path, ": has ", text.size(), " bytes, but only ",
             count, " could be read");
  return text;
}

}  // namespace tern::text
