#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tern/serialization/file/detail/file_calls.h>
#include <tern/serialization/safetensors.h>
#include <tern/serialization/safetensors/detail/writer.h>

// The files of a state in several files.

namespace tern::detail {

/// The end of the name of a file.
constexpr std::string_view kShardSuffix = ".safetensors";

/// Returns "a/b/" for "a/b/c".
std::string folder_of(const std::string& path);
bool exists(const std::string& path);

/// Locks the folder of `path`, so that only one save of all threads and processes changes the
/// shards in the folder. A lock of the folder itself needs no lock file and ends with the process.
class FolderLock {
 public:
  FolderLock(const std::string& path, FileCalls& calls);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

  /// Syncs the folder, so that removed files stay removed after a power failure.
  void sync(const std::string& path) const;

 private:
  FileCalls& calls_;
  int file_;
};

using ShardTensors = std::vector<const NamedTensor*>;

/// Divides the tensors into files of at most `max_size` bytes, in their order. Each file gets at
/// least one tensor. A `max_size` of 0 means no limit.
std::vector<ShardTensors> split(const ShardTensors& tensors, std::uint64_t max_size);

/// Returns net-00001-of-00003.safetensors and so on for net.safetensors. If one of these files
/// exists, takes net.1-00001-of-00003.safetensors and so on: an older index may list the existing
/// files until the new index is in place.
std::vector<std::string> shard_paths(const std::string& path, std::size_t count);

/// Returns a text that is different for each save.
std::string save_id();

/// Writes one of the files of a save. The caller commits it.
void write_shard(const ShardTensors& tensors, const std::string& id, const SaveOptions& options,
                 AtomicFile& file);

std::string index_text(const std::vector<ShardTensors>& shards,
                       const std::vector<std::string>& paths, const SafetensorsMetadata& metadata);

/// Returns the index of `path` if it exists, and the files that it lists if tern wrote it.
std::vector<std::string> files_of_index(const std::string& path);

/// Removes those of the `files` that exist. Returns the first file that could not be removed and
/// the reason, or an empty string.
std::string remove_files(const std::vector<std::string>& files, FileCalls& calls);

/// Removes the files of an older save, which would be read in place of the new state, and those
/// that a killed save of `path` has left. `keep` are the files of the new one.
void remove_old(const std::string& path, const std::vector<std::string>& files,
                const std::vector<std::string>& keep, FileCalls& calls);

}  // namespace tern::detail
