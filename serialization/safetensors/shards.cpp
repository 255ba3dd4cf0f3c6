#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <memory>
#include <unordered_map>

#include <tern/core/base/detail/plain_text.h>
#include <tern/core/base/error.h>
#include <tern/serialization/file/detail/retry.h>
#include <tern/serialization/json/detail/text.h>
#include <tern/serialization/safetensors/detail/format.h>
#include <tern/serialization/safetensors/detail/index.h>
#include <tern/serialization/safetensors/detail/reader.h>
#include <tern/serialization/safetensors/detail/writer.h>

namespace tern::detail {
namespace {

constexpr std::string_view kShardSuffix = ".safetensors";

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

bool contains(const std::vector<std::string>& list, const std::string& text) {
  return std::ranges::find(list, text) != list.end();
}

bool exists(const std::string& path) {
  struct stat facts;
  return ::stat(path.c_str(), &facts) == 0;
}

bool is_folder(const std::string& path) {
  struct stat facts;
  return ::stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

// --- Writing -------------------------------------------------------------------------------------

/// Locks the folder of `path`, so that only one save of all threads and processes changes the
/// shards in the folder. A lock of the folder itself needs no lock file and ends with the process.
class FolderLock {
 public:
  FolderLock(const std::string& path, FileCalls& calls) : calls_(calls) {
    const std::string folder = path.find('/') == path.npos ? "." : folder_of(path);
    const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    file_ = retry([&] { return calls_.open(folder.c_str(), flags, 0); });
    TERN_CHECK(file_ >= 0, FileError, "save: '", path, "': cannot open the folder '", folder,
               "': ", tern::detail::system_reason(errno));
    // Ignores errors, because not every file system has locks.
    retry([&] { return calls_.flock(file_, LOCK_EX); });
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock() {
    // Unlocks explicitly: a child process forked meanwhile would keep the lock after close().
    calls_.flock(file_, LOCK_UN);
    calls_.close(file_);
  }

  /// Syncs the folder, so that removed files stay removed after a power failure.
  void sync(const std::string& path) const {
    // File systems that cannot sync folders return EINVAL, which is not an error here.
    TERN_CHECK(retry([&] { return calls_.fsync(file_); }) == 0 || errno == EINVAL, FileError,
               "save: '", path,
               "': saved, but cannot sync the folder: ", tern::detail::system_reason(errno));
  }

 private:
  FileCalls& calls_;
  int file_;
};

/// Divides the tensors into files of at most `max_size` bytes, in their order. Each file gets at
/// least one tensor. A `max_size` of 0 means no limit.
std::vector<std::vector<const NamedTensor*>> split(const std::vector<const NamedTensor*>& tensors,
                                                   std::uint64_t max_size) {
  std::vector<std::vector<const NamedTensor*>> shards;
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

/// Returns net-00001-of-00003.safetensors and so on for net.safetensors. If one of these files
/// exists, takes net.1-00001-of-00003.safetensors and so on: an older index may list the existing
/// files until the new index is in place.
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

/// Returns a text that is different for each save.
std::string save_id() {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return std::to_string(::getpid()) + "-" + std::to_string(now);
}

std::string index_text(const std::vector<std::vector<const NamedTensor*>>& shards,
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

/// Returns the index of `path` if it exists, and the files that it lists if tern wrote it.
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

/// Removes those of the `files` that exist. Returns the first file that could not be removed and
/// the reason, or an empty string.
std::string remove_files(const std::vector<std::string>& files, FileCalls& calls) {
  std::string failed;
  for (const std::string& file : files) {
    if (retry([&] { return calls.unlink(file.c_str()); }) == 0 || errno == ENOENT) continue;
    if (failed.empty()) failed = "'" + file + "': " + tern::detail::system_reason(errno);
  }
  return failed;
}

/// Removes the files of an older save, which would be read in place of the new state.
void remove_old(const std::string& path, const std::vector<std::string>& files, FileCalls& calls) {
  const std::string failed = remove_files(files, calls);
  TERN_CHECK(failed.empty(), FileError, "save: '", path,
             "': saved, but cannot remove the old file ", failed);
}

// --- Reading -------------------------------------------------------------------------------------

/// One file of a state in several files.
struct Shard {
  Shard(const std::string& path, const LoadFileOptions& options)
      : file(path), reader(file, options) {
    for (const SafetensorsEntry& entry : reader.header().entries) {
      places.emplace(entry.name, places.size());
    }
  }
  const InputFile file;
  const SafetensorsReader reader;
  std::unordered_map<std::string_view, std::size_t> places;  // tensor name -> index of its entry
};

using Shards = std::unordered_map<std::string_view, std::unique_ptr<const Shard>>;

/// Opens all files of `index` and compares them with the index.
Shards open_shards(const std::string& path, const SafetensorsIndex& index,
                   const LoadFileOptions& options) {
  Shards shards;
  const std::string_view id = find_metadata(index.metadata(), kSaveKey);
  std::size_t found = 0;
  index.each([&](std::string_view name, std::string_view file) {
    std::unique_ptr<const Shard>& shard = shards[file];
    if (!shard) {
      const std::string shard_path = folder_of(path).append(file);
      TERN_CHECK(exists(shard_path), FileError, "load: '", path, "' lists '", file,
                 "', which is missing");
      shard = std::make_unique<const Shard>(shard_path, options);
      TERN_CHECK(id.empty() || id == find_metadata(shard->reader.header().metadata, kSaveKey),
                 FileError, "load: '", path, "': the index and '", file,
                 "' were written by different saves");
      found += shard->places.size();
    }
    TERN_CHECK(shard->places.contains(name), FileError, "load: '", path, "': tensor '",
               shown_name(name), "' is not in '", file, "'");
  });
  TERN_CHECK(found == index.size(), FileError, "load: '", path, "': its files have ", found,
             " tensors, but the index has ", index.size());
  return shards;
}

}  // namespace

void save_safetensors_shards(const State& state, const std::string& path,
                             const SaveOptions& options, FileCalls& calls) {
  const FlatState flat = flatten(state);
  SafetensorsContent content = safetensors_content(flat, options, path);
  const auto shards = split(content.tensors, options.max_shard_size);
  // The lock keeps the set of old files and free names unchanged until the end of the save.
  const FolderLock lock(path, calls);
  std::vector<std::string> old = files_of_index(path);
  if (shards.size() < 2) {
    AtomicFile file(path, calls);
    write_safetensors_file(content, options, file);
    file.commit();
    remove_old(path, old, calls);
    lock.sync(path);
    return;
  }
  const std::string id = save_id();
  const std::vector<std::string> paths = shard_paths(path, shards.size());
  std::vector<std::unique_ptr<AtomicFile>> files;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    files.push_back(std::make_unique<AtomicFile>(paths[i], calls));
    const SafetensorsMetadata metadata = {{std::string(kFormatKey), "pt"},
                                          {std::string(kSaveKey), id}};
    write_safetensors_file({shards[i], metadata}, options, *files.back());
  }
  content.metadata.emplace_back(kSaveKey, id);
  AtomicFile index(path + std::string(kIndexSuffix), calls);
  index.write(index_text(shards, paths, content.metadata));
  try {
    for (const auto& file : files) file->commit();
    index.commit();
  } catch (...) {
    if (!index.in_place()) remove_files(paths, calls);
    throw;
  }
  std::erase(old, index.path());
  old.push_back(path);
  remove_old(path, old, calls);
  lock.sync(path);
}

bool has_index(const std::string& path) {
  return path.ends_with(kShardSuffix) && exists(path + std::string(kIndexSuffix));
}

void refuse_safetensors_index(const State&, const SaveOptions&, AtomicFile& file) {
  raise<FileError>("save: '", file.path(),
                   "': an index cannot be saved alone; save to a .safetensors file with "
                   "SaveOptions::max_shard_size");
}

State read_safetensors_index(const InputFile& file, const LoadFileOptions& options) {
  const SafetensorsIndex index(file);
  const Shards shards = open_shards(file.path(), index, options);
  std::unordered_map<std::string_view, std::vector<Tensor>> tensors;  // by file name
  SafetensorsMetadata metadata;
  for (const auto& [name, shard] : shards) {
    const SafetensorsHeader& header = shard->reader.header();
    tensors.emplace(name, shard->reader.read(header.entries, options.skipped));
    metadata.insert(metadata.end(), header.metadata.begin(), header.metadata.end());
  }
  FlatState flat;
  index.each([&](std::string_view name, std::string_view shard) {
    const Tensor& tensor = tensors.at(shard)[shards.at(shard)->places.at(name)];
    if (tensor.defined()) flat.tensors.emplace_back(name, tensor);
  });
  metadata.insert(metadata.end(), index.metadata().begin(), index.metadata().end());
  apply_metadata(metadata, flat, options);
  return unflatten(flat);
}

std::string find_safetensors(const std::string& path) {
  if (is_folder(path)) {
    for (const char* name : {"/model.safetensors.index.json", "/model.safetensors"}) {
      if (exists(path + name)) return path + name;
    }
    raise<FileError>("load: '", path,
                     "' is a folder without model.safetensors.index.json or model.safetensors");
  }
  return !exists(path) && has_index(path) ? path + std::string(kIndexSuffix) : path;
}

}  // namespace tern::detail
