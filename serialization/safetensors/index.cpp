#include <tern/serialization/safetensors/detail/index.h>

#include <algorithm>
#include <utility>

#include <tern/core/base/error.h>
#include <tern/serialization/json/detail/text.h>
#include <tern/serialization/safetensors/detail/header.h>

namespace tern::detail {
namespace {

std::string content_of(const InputFile& file) {
  TERN_CHECK(file.size() <= kMaxHeaderSize, FileError, "load: '", file.path(), "': the index has ",
             file.size(), " bytes, at most ", kMaxHeaderSize, " are allowed");
  return file.head(static_cast<std::size_t>(file.size()));
}

bool is_file_name(std::string_view name) {
  return !name.empty() && name != ".." && name.find('/') == name.npos &&
         name.find('\0') == name.npos;
}

}  // namespace

SafetensorsIndex::SafetensorsIndex(const InputFile& file)
    : path_(file.path()), text_(content_of(file)), scan_(text_, "load: '" + path_ + "': index: ") {
  if (!scan_.at('{')) fail("expected an object, found ", scan_.kind());
  constexpr std::string_view kMap = "weight_map", kMetadata = "metadata";
  bool has_map = false, has_metadata = false;
  scan_.object([&](std::string_view key) {
    if (key != kMap && key != kMetadata) return skip(key);
    if (std::exchange(key == kMap ? has_map : has_metadata, true))
      fail("'", key, "' appears twice");
    if (!scan_.at('{')) fail("'", key, "': expected an object, found ", scan_.kind());
    key == kMap ? read_map() : read_metadata();
  });
  scan_.end();
  if (!has_map) fail("missing key '", kMap, "'");
  refuse_equal();
}

void SafetensorsIndex::read_map() {
  constexpr std::string_view kShortest = R"("":"a",)";
  rows_.reserve(text_.size() / kShortest.size() + 1);  // untouched memory costs nothing
  scan_.object([&](std::string_view tensor) {
    if (!scan_.at('"')) {
      fail("tensor '", shown_name(tensor), "': expected a file name, found ", scan_.kind());
    }
    const std::string_view name = scan_.string();
    if (!is_file_name(name)) {
      fail("tensor '", shown_name(tensor), "': '", shown_name(name), "' is not a file name");
    }
    rows_.push_back({scan_.place(tensor), scan_.place(name)});
  });
}

void SafetensorsIndex::read_metadata() {
  scan_.object([&](std::string_view key) {
    if (!scan_.at('"')) return skip(key);
    if (metadata_.size() == kMaxMetadata) fail("more than ", kMaxMetadata, " strings of metadata");
    metadata_.emplace_back(key, scan_.string());
  });
}

/// Skips the value of an unknown key.
void SafetensorsIndex::skip(std::string_view key) {
  scan_.skip([&] { fail("'", shown_name(key), "': nested deeper than ", scan_.kMaxDepth); });
}

void SafetensorsIndex::refuse_equal() {
  const auto name = [this](const Row& row) { return scan_.text(row.tensor); };
  std::ranges::sort(rows_, {}, name);
  const auto twice = std::ranges::adjacent_find(rows_, {}, name);
  if (twice != rows_.end()) fail("tensor '", shown_name(name(*twice)), "' appears twice");
  std::ranges::sort(rows_, {}, [](const Row& row) { return row.tensor.begin; });
}

template <class... Parts>
void SafetensorsIndex::fail(const Parts&... parts) const {
  raise<FileError>("load: '", path_, "': index: ", parts...);
}

std::string_view find_metadata(const SafetensorsMetadata& metadata, std::string_view key) {
  const auto found = std::ranges::find(metadata, key, &SafetensorsMetadata::value_type::first);
  return found == metadata.end() ? std::string_view() : found->second;
}

}  // namespace tern::detail
