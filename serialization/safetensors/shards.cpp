#include <sys/stat.h>

#include <memory>
#include <unordered_map>

#include <tern/core/base/error.h>
#include <tern/serialization/json/detail/text.h>
#include <tern/serialization/safetensors/detail/format.h>
#include <tern/serialization/safetensors/detail/index.h>
#include <tern/serialization/safetensors/detail/reader.h>
#include <tern/serialization/safetensors/detail/shard_files.h>
#include <tern/serialization/safetensors/detail/writer.h>

namespace tern::detail {
namespace {

bool is_folder(const std::string& path) {
  struct stat facts;
  return ::stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

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
  const std::vector<ShardTensors> shards = split(content.tensors, options.max_shard_size);
  // The lock keeps the set of old files and free names unchanged until the end of the save.
  const FolderLock lock(path, calls);
  std::vector<std::string> old = files_of_index(path);
  if (shards.size() < 2) {
    AtomicFile file(path, calls);
    write_safetensors_file(content, options, file);
    file.commit();
    remove_old(path, old, {}, calls);
    lock.sync(path);
    return;
  }
  const std::string id = save_id();
  const std::vector<std::string> paths = shard_paths(path, shards.size());
  std::vector<std::unique_ptr<AtomicFile>> files;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    files.push_back(std::make_unique<AtomicFile>(paths[i], calls));
    write_shard(shards[i], id, options, *files.back());
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
  remove_old(path, old, paths, calls);
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
