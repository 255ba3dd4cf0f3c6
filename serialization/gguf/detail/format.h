#pragma once

#include <string_view>

#include <tern/serialization/file/detail/input_file.h>
#include <tern/serialization/state_file.h>

namespace tern::detail {

/// Returns true if a file with these first bytes is GGUF.
bool recognizes_gguf(std::string_view head);
/// Throws FileError, which names the file and the key or the tensor.
State read_gguf(const InputFile& file, const LoadFileOptions& options);

}  // namespace tern::detail
