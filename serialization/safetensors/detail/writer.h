#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tern/serialization/file/detail/atomic_file.h>
#include <tern/serialization/safetensors.h>
#include <tern/serialization/state/detail/flat_state.h>

namespace tern::detail {

using NamedTensor = std::pair<std::string, Tensor>;

/// What a save puts into one file, or into several.
struct SafetensorsContent {
  std::vector<const NamedTensor*> tensors;  // of tied ones only that of the smallest name
  SafetensorsMetadata metadata;             // also the other names of tied tensors, and the tree
};

/// `flat` must outlive the result. Throws FileError naming `path` for what the format cannot hold.
SafetensorsContent safetensors_content(const FlatState& flat, const SaveOptions& options,
                                       const std::string& path);

/// Writes one whole file; the caller commits.
void write_safetensors_file(const SafetensorsContent& content, const SaveOptions& options,
                            AtomicFile& file);

}  // namespace tern::detail
