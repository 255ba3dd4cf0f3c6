#include <tern/serialization/safetensors.h>

#include <unordered_map>

#include <tern/core/base/error.h>
#include <tern/serialization/detail/formats.h>
#include <tern/serialization/json/detail/text.h>
#include <tern/serialization/safetensors/detail/reader.h>

namespace tern {

struct SafetensorsFile::Content {
  Content(const std::string& path, const LoadFileOptions& options)
      : file(path), reader(checked(file), options) {
    for (const SafetensorsEntry& entry : reader.header().entries) {
      by_name.emplace(entry.name, &entry);
    }
  }
  /// Throws FileError that names the format if the file is in another one.
  static const detail::InputFile& checked(const detail::InputFile& file) {
    detail::format_of_content(detail::format_of_suffix("load", ".safetensors"), file);
    return file;
  }

  const detail::InputFile file;
  const detail::SafetensorsReader reader;
  std::unordered_map<std::string_view, const SafetensorsEntry*> by_name;
};

SafetensorsFile::SafetensorsFile(const std::string& path, const LoadFileOptions& options)
    : content_(std::make_unique<Content>(path, options)) {}
SafetensorsFile::SafetensorsFile(SafetensorsFile&&) noexcept = default;
SafetensorsFile& SafetensorsFile::operator=(SafetensorsFile&&) noexcept = default;
SafetensorsFile::~SafetensorsFile() = default;

const std::vector<SafetensorsEntry>& SafetensorsFile::entries() const {
  return content_->reader.header().entries;
}

const SafetensorsMetadata& SafetensorsFile::metadata() const {
  return content_->reader.header().metadata;
}

const SafetensorsEntry* SafetensorsFile::find(std::string_view name) const {
  const auto found = content_->by_name.find(name);
  return found == content_->by_name.end() ? nullptr : found->second;
}

Tensor SafetensorsFile::read(std::string_view name) const {
  const SafetensorsEntry* const entry = find(name);
  TERN_CHECK(entry != nullptr, IndexError, "load: '", content_->file.path(), "' has no tensor '",
             detail::shown_name(name), "'");
  return content_->reader.read(*entry);
}

}  // namespace tern
