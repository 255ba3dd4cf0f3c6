#pragma once

#include <string>
#include <string_view>

#include <tern/serialization/file/detail/atomic_file.h>
#include <tern/serialization/file/detail/input_file.h>
#include <tern/serialization/state_file.h>

namespace tern::detail {

/// The key of the metadata that says whose conventions names and layouts follow: "pt", PyTorch's.
/// The transformers library refuses files without it.
constexpr std::string_view kFormatKey = "format";

/// Whether a file that begins so can be safetensors.
bool recognizes_safetensors(std::string_view head);
void write_safetensors(const State& state, const SaveOptions& options, AtomicFile& file);
/// Throws FileError that names the file and the tensor.
State read_safetensors(const InputFile& file, const LoadFileOptions& options);

/// Writes `state` as several files and an index, or as one file when it is small enough or
/// max_shard_size is 0. The index comes last and replaces no file that an older index lists: the
/// name shows the old state or the new one. Then the files of the older index are removed. Throws
/// FileError.
void save_safetensors_shards(const State& state, const std::string& path,
                             const SaveOptions& options, FileCalls& calls);
/// Whether an index stands for `path`: a save of one file must put it away, too.
bool has_index(const std::string& path);
/// Throws FileError: an index is written with what it lists.
void refuse_safetensors_index(const State& state, const SaveOptions& options, AtomicFile& file);
/// Reads all files that the index lists, after checking them against it.
State read_safetensors_index(const InputFile& file, const LoadFileOptions& options);

/// The file that `path` stands for: the model in a folder, or the index of a file that is not
/// there. Throws FileError for a folder without a model.
std::string find_safetensors(const std::string& path);

}  // namespace tern::detail
