#include <tern/serialization/detail/formats.h>

#include <algorithm>
#include <set>
#include <tuple>

#include <tern/core/base/detail/read_text.h>
#include <tern/serialization/gguf/detail/format.h>
#include <tern/serialization/json/detail/format.h>
#include <tern/serialization/numpy/detail/format.h>
#include <tern/serialization/safetensors/detail/format.h>
#include <tern/serialization/torch/detail/format.h>

namespace tern::detail {
namespace {

// The formats are tried in this order for a file without a known suffix. safetensors comes before
// JSON: the size at the start of a safetensors file can look like the brace of JSON, but a JSON
// file cannot look like safetensors.
constexpr Format kFormats[] = {
    {"safetensors", ".safetensors ", recognizes_safetensors, kTakesMetadata | kTakesShards,
     write_safetensors, read_safetensors},
    {"JSON", ".json ", recognizes_json, kTakesBase64 | kTakesMetadata, write_json_state,
     read_json_state},
    {"npy of NumPy", ".npy ", recognizes_npy, 0, write_npy_state, read_npy_state},
    {"npz of NumPy", ".npz ", recognizes_npz, 0, write_npz_state, read_npz_state},
    {"index of safetensors", ".index.json ", recognizes_json, 0, refuse_safetensors_index,
     read_safetensors_index},
    {"pt of PyTorch", ".pt .pth ", recognizes_torch, 0, write_torch_state, read_torch_state},
    {"GGUF", ".gguf ", recognizes_gguf, 0, nullptr, read_gguf},
};

/// Returns the length of the suffix of `format` that `path` ends in, or 0 for other paths.
std::size_t suffix_size(const Format& format, std::string_view path) {
  for (std::string_view rest = format.suffixes; !rest.empty();) {
    const std::size_t space = rest.find(' ');
    if (path.ends_with(rest.substr(0, space))) return space;
    rest.remove_prefix(space + 1);
  }
  return 0;
}

/// Names the content of a file in none of these formats by its first bytes. Returns an empty string
/// for unknown bytes.
std::string_view foreign_content(std::string_view head) {
  constexpr std::string_view kHtml = "is HTML or XML, perhaps a failed download";
  constexpr std::string_view kBegins[][2] = {
      {"\x1f\x8b", "is compressed with gzip"},
      {"\xef\xbb\xbf", "begins with a byte order mark"},
      {"version https://git-lfs", "is a pointer of Git LFS, which 'git lfs pull' replaces"},
      {"<!", kHtml},
      {"<?", kHtml},
      {"<html", kHtml},
      {"\x89HDF", "is in the format HDF5"},
      {"\x80\2", "is a pickle"},
      {"\x80\3", "is a pickle"},
      {"\x80\4", "is a pickle"},
      {"\x80\5", "is a pickle"}};
  for (const auto& [begin, text] : kBegins) {
    if (head.starts_with(begin)) return text;
  }
  return is_utf16(head) ? "is UTF-16" : "";
}

/// Returns the bytes as hexadecimal numbers: "7f 45".
std::string shown_bytes(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    const auto number = static_cast<unsigned char>(byte);
    if (!text.empty()) text += ' ';
    text += kDigits[number / 16];
    text += kDigits[number % 16];
  }
  return text;
}

}  // namespace

const Format* format_of_suffix(const char* what, std::string_view path) {
  const std::size_t nul = path.find('\0');  // system calls would cut the path at the NUL
  TERN_CHECK(nul == path.npos, FileError, what, ": the path has a NUL byte after '",
             path.substr(0, nul), "'");
  const Format* const best = std::ranges::max_element(
      kFormats, {}, [&](const Format& format) { return suffix_size(format, path); });
  return suffix_size(*best, path) == 0 ? nullptr : best;
}

const Format& format_to_save(std::string_view path) {
  const Format* const found = format_of_suffix("save", path);
  if (found != nullptr && found->write != nullptr) return *found;
  std::string suffixes;
  for (const Format& format : kFormats) {
    if (format.write != nullptr) suffixes += format.suffixes;
  }
  suffixes.pop_back();  // the last blank
  raise<FileError>("save: '", path, "': ", found == nullptr ? "" : found->name,
                   found == nullptr ? "" : " files can be read, but not written; ",
                   "the name of a state file must end in one of ", suffixes);
}

void check_options(const Format& format, const SaveOptions& options, const std::string& path) {
  const std::tuple<bool, unsigned, const char*> wishes[] = {
      {options.base64, kTakesBase64, "base64"},
      {!options.metadata.empty(), kTakesMetadata, "metadata"},
      {options.max_shard_size != 0, kTakesShards, "max_shard_size"}};
  for (const auto& [is_set, wish, name] : wishes) {
    TERN_CHECK(!is_set || (format.takes & wish) != 0, FileError, "save: '", path, "': the format ",
               format.name, " does not support the option ", name);
  }
  std::set<std::string_view> keys;
  for (const auto& [key, value] : options.metadata) {
    TERN_CHECK(!is_reserved_metadata(key, options), FileError, "save: '", path, "': metadata '",
               key, "' is a key that only tern itself may write");
    TERN_CHECK(keys.insert(key).second, FileError, "save: '", path, "': metadata '", key,
               "' appears twice");
  }
}

const Format& format_of_content(const Format* expected, const InputFile& file) {
  const std::string head = file.head(kHeadSize);
  const auto fail = [&](const auto&... found) {
    std::string names(expected == nullptr ? "" : expected->name);
    for (const Format& format : kFormats) {
      if (expected == nullptr) names += text_of(names.empty() ? "one of " : ", ", format.name);
    }
    raise<FileError>("load: '", file.path(), "' ", found..., ", not ", names);
  };
  if (head.empty()) fail("is empty");
  if (expected != nullptr && expected->recognizes(head)) return *expected;
  for (const Format& format : kFormats) {
    if (!format.recognizes(head)) continue;
    if (expected == nullptr) return format;
    fail("is in the format ", format.name);
  }
  const std::string_view content = foreign_content(head);
  if (!content.empty()) fail(content);
  if (expected == nullptr) fail("begins with the bytes ", shown_bytes(head.substr(0, 8)));
  return *expected;  // the reader reports the position of the error
}

}  // namespace tern::detail
