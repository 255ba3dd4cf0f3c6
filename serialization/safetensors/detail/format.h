#pragma once

#include <string>
#include <string_view>

#include <tern/serialization/file/detail/atomic_file.h>
#include <tern/serialization/file/detail/input_file.h>
#include <tern/serialization/state_file.h>

namespace tern::detail {

/// The metadata key whose value names the framework with the same conventions for names and
/// layouts. tern writes "pt" for PyTorch. The transformers library refuses files without this key.
constexpr std::string_view kFormatKey = "format";

/// Returns true if a file with these first bytes can be safetensors.
bool recognizes_safetensors(std::string_view head);
void write_safetensors(const State& state, const SaveOptions& options, AtomicFile& file);
/// Throws FileError, which names the file and the tensor.
State read_safetensors(const InputFile& file, const LoadFileOptions& options);

/// Writes `state` as several files and an index, or as one file if the state is small enough or
/// max_shard_size is 0. The index is written last, and no new file replaces a file of an older
/// index, so `path` always has the old or the new state. Removes the files of the older index at
/// the end. Throws FileError.
void save_safetensors_shards(const State& state, const std::string& path,
                             const SaveOptions& options, FileCalls& calls);
/// Returns true if an index for `path` exists. A save of one file must remove the index.
bool has_index(const std::string& path);
/// Throws FileError, because an index is only written together with its files.
void refuse_safetensors_index(const State& state, const SaveOptions& options, AtomicFile& file);
/// Compares all files that the index lists with the index, then reads them.
State read_safetensors_index(const InputFile& file, const LoadFileOptions& options);

/// Returns the file to read for `path`: the model or its index in a folder, the index of a missing
/// file, or else `path` itself. Throws FileError for a folder without a model.
std::string find_safetensors(const std::string& path);

}  // namespace tern::detail
