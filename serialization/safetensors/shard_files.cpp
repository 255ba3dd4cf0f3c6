#include <tern/serialization/safetensors/detail/shard_files.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include <tern/core/base/detail/plain_text.h>
#include <tern/core/base/error.h>
#include <tern/serialization/file/detail/retry.h>
#include <tern/serialization/json/detail/text.h>
#include <tern/serialization/safetensors/detail/format.h>
#include <tern/serialization/safetensors/detail/index.h>

namespace tern::detail {
namespace {

bool contains(const std::vector<std::string>& list, const std::string& text) {
  return std::ranges::find(list, text) != list.end();
}

// Returns true for the rest "-00001-of-00003" or ".1-00001-of-00003" of a name.
bool is_shard_number(std::string_view rest) {
  const auto digits = [&](std::size_t least) {
    const std::size_t end = std::min(rest.find_first_not_of("0123456789"), rest.size());
    rest.remove_prefix(end);
    return end >= least;
  };
  const auto text = [&](std::string_view expected) {
    if (!rest.starts_with(expected)) return false;
    rest.remove_prefix(expected.size());
    return true;
  };
  if (text(".") && !digits(1)) return false;
  return text("-") && digits(5) && text("-of-") && digits(5) && rest.empty();
}

// Returns the files that saves of `path` wrote, other than `keep`: a killed save leaves them.
std::vector<std::string> leftovers(const std::string& path, const std::vector<std::string>& keep) {
  const std::string folder = folder_of(path);
  const std::string stem =
      path.substr(folder.size(), path.size() - folder.size() - kShardSuffix.size());
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder.empty() ? "." : folder, error)) {
    const std::string name = entry.path().filename();
    std::string full = folder + name;
    if (!name.starts_with(stem) || !name.ends_with(kShardSuffix) || contains(keep, full)) continue;
    const std::string_view rest(name);
    if (!is_shard_number(rest.substr(
            stem.size(), rest.size() - std::min(rest.size(), stem.size() + kShardSuffix.size())))) {
      continue;
    }
    try {
      const SafetensorsFile file(full);
      if (!find_metadata(file.metadata(), kSaveKey).empty()) found.push_back(std::move(full));
    } catch (const FileError&) {
      // Not of tern.
    }
  }
  return found;
}

}  // namespace

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

bool exists(const std::string& path) {
  struct stat facts;
  return ::stat(path.c_str(), &facts) == 0;
}

FolderLock::FolderLock(const std::string& path, FileCalls& calls) : calls_(calls) {
  const std::string folder = path.find('/') == path.npos ? "." : folder_of(path);
  const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  file_ = retry([&] { return calls_.open(folder.c_str(), flags, 0); });
  TERN_CHECK(file_ >= 0, FileError, "save: '", path, "': cannot open the folder '", folder,
             "': ", tern::detail::system_reason(errno));
  // Ignores errors, because not every file system has locks.
  retry([&] { return calls_.flock(file_, LOCK_EX); });
}

FolderLock::~FolderLock() {
  // Unlocks explicitly: a child process forked meanwhile would keep the lock after close().
  calls_.flock(file_, LOCK_UN);
  calls_.close(file_);
}

void FolderLock::sync(const std::string& path) const {
  // File systems that cannot sync folders return EINVAL, which is not an error here.
  TERN_CHECK(retry([&] { return calls_.fsync(file_); }) == 0 || errno == EINVAL, FileError,
             "save: '", path,
             "': saved, but cannot sync the folder: ", tern::detail::system_reason(errno));
}

std::vector<ShardTensors> split(const ShardTensors& tensors, std::uint64_t max_size) {
  std::vector<ShardTensors> shards;
  std::uint64_t size = 0;  // bytes in the last shard
  for (const NamedTensor* tensor : tensors) {
    const std::uint64_t bytes = tensor->second.nbytes();
    if (shards.empty() || (max_size != 0 && size + bytes > max_size && !shards.back().empty())) {
      shards.emplace_back();
      size = 0;
    }
    shards.back().push_back(tensor);
    size += bytes;
  }
  return shards;
}

std::vector<std::string> shard_paths(const std::string& path, std::size_t count) {
  const std::string stem = path.substr(0, path.size() - kShardSuffix.size());
  for (int attempt = 0;; ++attempt) {
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < count; ++i) {
      char number[64];
      std::snprintf(number, sizeof number, "-%05zu-of-%05zu", i + 1, count);
      paths.push_back(stem + (attempt == 0 ? "" : "." + std::to_string(attempt)) + number +
                      std::string(kShardSuffix));
    }
    if (std::ranges::none_of(paths, exists)) return paths;
  }
}

std::string save_id() {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return std::to_string(::getpid()) + "-" + std::to_string(now);
}

std::string index_text(const std::vector<ShardTensors>& shards,
                       const std::vector<std::string>& paths, const SafetensorsMetadata& metadata) {
  std::uint64_t total = 0;
  std::string map;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const std::string file = quote_json(paths[i].substr(folder_of(paths[i]).size()));
    for (const NamedTensor* tensor : shards[i]) {
      total += tensor->second.nbytes();
      map += (map.empty() ? "\n    " : ",\n    ") + quote_json(tensor->first) + ": " + file;
    }
  }
  std::string text =
      "{\n  \"metadata\": {\n    " + quote_json(kTotalSizeKey) + ": " + std::to_string(total);
  for (const auto& [key, value] : metadata) {
    text += ",\n    " + quote_json(key) + ": " + quote_json(value);
  }
  return text + "\n  },\n  \"weight_map\": {" + map + "\n  }\n}\n";
}

std::vector<std::string> files_of_index(const std::string& path) {
  const std::string index_path = path + std::string(kIndexSuffix);
  if (!exists(index_path)) return {};
  std::vector<std::string> files = {index_path};
  try {
    const SafetensorsIndex index{InputFile(index_path)};
    if (find_metadata(index.metadata(), kSaveKey).empty()) return files;
    index.each([&](std::string_view, std::string_view file) {
      std::string shard = folder_of(path).append(file);
      if (!contains(files, shard)) files.push_back(std::move(shard));
    });
  } catch (const FileError&) {
    // An unreadable index lists no files.
  }
  return files;
}

std::string remove_files(const std::vector<std::string>& files, FileCalls& calls) {
  std::string failed;
  for (const std::string& file : files) {
    if (retry([&] { return calls.unlink(file.c_str()); }) == 0 || errno == ENOENT) continue;
    if (failed.empty()) failed = "'" + file + "': " + tern::detail::system_reason(errno);
  }
  return failed;
}

void write_shard(const ShardTensors& tensors, const std::string& id, const SaveOptions& options,
                 AtomicFile& file) {
  const SafetensorsMetadata metadata = {{std::string(kFormatKey), "pt"},
                                        {std::string(kSaveKey), id}};
  write_safetensors_file({tensors, metadata}, options, file);
}

void remove_old(const std::string& path, const std::vector<std::string>& files,
                const std::vector<std::string>& keep, FileCalls& calls) {
  std::string failed = remove_files(files, calls);
  if (failed.empty()) failed = remove_files(leftovers(path, keep), calls);
  TERN_CHECK(failed.empty(), FileError, "save: '", path,
             "': saved, but cannot remove the old file ", failed);
}

}  // namespace tern::detail
