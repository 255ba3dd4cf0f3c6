#include <tern/serialization/detail/formats.h>

#include <algorithm>
#include <set>
#include <tuple>

#include <tern/serialization/detail/json_file.h>
#include <tern/serialization/detail/npy_file.h>
#include <tern/serialization/detail/safetensors_file.h>
#include <tern/serialization/detail/torch_file.h>

namespace tern::detail {
namespace {

constexpr Format kFormats[] = {
    {"JSON", ".json ", recognizes_json, kTakesBase64 | kTakesMetadata, write_json_state,
     read_json_state},
    {"npy of NumPy", ".npy ", recognizes_npy, 0, write_npy_state, read_npy_state},
    {"npz of NumPy", ".npz ", recognizes_npz, 0, write_npz_state, read_npz_state},
    {"safetensors", ".safetensors ", recognizes_safetensors, kTakesMetadata | kTakesShards,
     write_safetensors, read_safetensors},
    {"index of safetensors", ".index.json ", recognizes_json, 0, refuse_safetensors_index,
     read_safetensors_index},
    {"pt of PyTorch", ".pt .pth ", recognizes_torch, 0, write_torch_state, read_torch_state},
};

/// The length of the suffix of `format` that `path` has; 0 without.
std::size_t suffix_size(const Format& format, std::string_view path) {
  for (std::string_view rest = format.suffixes; !rest.empty();) {
    const std::size_t space = rest.find(' ');
    if (path.ends_with(rest.substr(0, space))) return space;
    rest.remove_prefix(space + 1);
  }
  return 0;
}

/// What a file is that no format of ours claims, as far as its first bytes tell.
std::string_view foreign_content(std::string_view head) {
  if (head.starts_with("\x1f\x8b")) return "is compressed with gzip";
  if (head.starts_with("\xef\xbb\xbf")) return "begins with a byte order mark";
  if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff")) return "is UTF-16";
  return "";
}

}  // namespace

const Format& format_of_path(const char* what, std::string_view path) {
  const std::size_t nul = path.find('\0');  // the system's calls would end the name there
  TERN_CHECK(nul == path.npos, FileError, what, ": in the path a NUL byte follows '",
             path.substr(0, nul), "'");
  const Format* const best = std::ranges::max_element(
      kFormats, {}, [&](const Format& format) { return suffix_size(format, path); });
  if (suffix_size(*best, path) != 0) return *best;
  std::string suffixes;
  for (const Format& format : kFormats) suffixes += format.suffixes;
  raise<FileError>(what, ": '", path, "': the name of a state file ends in one of ", suffixes);
}

void check_options(const Format& format, const SaveOptions& options, const std::string& path) {
  const std::tuple<bool, unsigned, const char*> wishes[] = {
      {options.base64, kTakesBase64, "base64"},
      {!options.metadata.empty(), kTakesMetadata, "metadata"},
      {options.max_shard_size != 0, kTakesShards, "shards"}};
  for (const auto& [is_set, wish, name] : wishes) {
    TERN_CHECK(!is_set || (format.takes & wish) != 0, FileError, "save: '", path, "': the format ",
               format.name, " has no ", name);
  }
  std::set<std::string_view> keys;
  for (const auto& [key, value] : options.metadata) {
    TERN_CHECK(!is_reserved_metadata(key, options) && keys.insert(key).second, FileError, "save: '",
               path, "': metadata '", key, "' appears twice or is written by tern itself");
  }
}

void check_content(const Format& format, const InputFile& file) {
  const std::string head = file.head(kHeadSize);
  TERN_CHECK(!head.empty(), FileError, "load: '", file.path(), "' is empty, not ", format.name);
  if (format.recognizes(head)) return;
  for (const Format& other : kFormats) {
    TERN_CHECK(&other == &format || !other.recognizes(head), FileError, "load: '", file.path(),
               "' is in the format ", other.name, ", not ", format.name);
  }
  const std::string_view content = foreign_content(head);
  TERN_CHECK(content.empty(), FileError, "load: '", file.path(), "' ", content, ", not ",
             format.name);
}

}  // namespace tern::detail
