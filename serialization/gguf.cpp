#include <tern/serialization/gguf.h>

#include <unordered_map>

#include <tern/core/base/error.h>
#include <tern/serialization/detail/formats.h>
#include <tern/serialization/gguf/detail/cursor.h>
#include <tern/serialization/gguf/detail/reader.h>
#include <tern/serialization/gguf/detail/values.h>
#include <tern/serialization/json/detail/text.h>

namespace tern {

struct GgufFile::Content {
  Content(const std::string& path, const LoadFileOptions& options)
      : file(path), reader(checked(file), options) {
    for (const GgufEntry& entry : reader.header().entries) by_name.emplace(entry.name, &entry);
    for (const detail::GgufKey& key : reader.header().keys) by_key.emplace(key.name, &key);
  }
  /// Throws FileError that names the format if the file is in another one.
  static const detail::InputFile& checked(const detail::InputFile& file) {
    detail::format_of_content(detail::format_of_suffix("load", ".gguf"), file);
    return file;
  }
  const GgufEntry& entry(std::string_view name) const {
    const auto found = by_name.find(name);
    TERN_CHECK(found != by_name.end(), IndexError, "load: '", file.path(), "' has no tensor '",
               detail::shown_name(name), "'");
    return *found->second;
  }
  /// Calls `read(cursor, kind)` at the value of `key`.
  template <class Read>
  auto value(std::string_view key, const Read& read) const {
    const auto found = by_key.find(key);
    TERN_CHECK(found != by_key.end(), IndexError, "load: '", file.path(), "' has no key '",
               detail::shown_name(key), "'");
    detail::GgufCursor cursor(file, found->second->at,
                              detail::text_of("key '", detail::shown_name(key), "'"));
    return read(cursor, found->second->kind);
  }

  const detail::InputFile file;
  const detail::GgufReader reader;
  std::unordered_map<std::string_view, const GgufEntry*> by_name;
  std::unordered_map<std::string_view, const detail::GgufKey*> by_key;
};

GgufFile::GgufFile(const std::string& path, const LoadFileOptions& options)
    : content_(std::make_unique<Content>(path, options)) {}
GgufFile::GgufFile(GgufFile&&) noexcept = default;
GgufFile& GgufFile::operator=(GgufFile&&) noexcept = default;
GgufFile::~GgufFile() = default;

const std::string& GgufFile::path() const { return content_->file.path(); }

const std::vector<GgufEntry>& GgufFile::entries() const {
  return content_->reader.header().entries;
}

const GgufEntry* GgufFile::find(std::string_view name) const {
  const auto found = content_->by_name.find(name);
  return found == content_->by_name.end() ? nullptr : found->second;
}

Tensor GgufFile::read(std::string_view name, std::optional<ScalarType> dtype) const {
  Tensor tensor = content_->reader.read(content_->entry(name));
  return dtype ? tensor.to(*dtype) : tensor;
}

GgufBlocks GgufFile::read_blocks(std::string_view name) const {
  return content_->reader.read_blocks(content_->entry(name));
}

Tensor GgufFile::copy(std::string_view name, std::optional<ScalarType> dtype) const {
  const GgufEntry& entry = content_->entry(name);
  Tensor tensor = content_->reader.read(entry, detail::GgufReader::Source::kCalls);
  return dtype ? tensor.to(*dtype) : tensor;
}

GgufBlocks GgufFile::copy_blocks(std::string_view name) const {
  return content_->reader.read_blocks(content_->entry(name), detail::GgufReader::Source::kCalls);
}

std::vector<std::string_view> GgufFile::keys() const {
  std::vector<std::string_view> keys;
  for (const detail::GgufKey& key : content_->reader.header().keys) keys.push_back(key.name);
  return keys;
}

bool GgufFile::has_key(std::string_view key) const { return content_->by_key.contains(key); }

State GgufFile::metadata(std::string_view key) const {
  return content_->value(key, detail::read_gguf_value);
}

std::string GgufFile::text(std::string_view key) const {
  return content_->value(key, detail::read_gguf_text);
}

std::vector<std::string> GgufFile::strings(std::string_view key) const {
  return content_->value(key, detail::read_gguf_strings);
}

std::vector<std::int64_t> GgufFile::integers(std::string_view key) const {
  return content_->value(key, detail::read_gguf_integers);
}

}  // namespace tern
