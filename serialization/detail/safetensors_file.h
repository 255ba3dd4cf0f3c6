#pragma once

#include <string>
#include <string_view>

#include <tern/serialization/atomic_file.h>
#include <tern/serialization/detail/input_file.h>
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

}  // namespace tern::detail
