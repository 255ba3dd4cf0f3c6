#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tern/serialization/file/detail/atomic_file.h>
#include <tern/serialization/safetensors.h>
#include <tern/serialization/state/detail/flat_state.h>

namespace tern::detail {

using NamedTensor = std::pair<std::string, Tensor>;

/// The content of a save in one file or several files.
struct SafetensorsContent {
  std::vector<const NamedTensor*> tensors;  // tied tensors once, under their smallest name
  SafetensorsMetadata metadata;  // includes the other names of tied tensors, and the tree
};

/// Returns the content of `flat`, which must outlive the result. Throws FileError, which names
/// `path`, if the format cannot store a part of it.
SafetensorsContent safetensors_content(const FlatState& flat, const SaveOptions& options,
                                       const std::string& path);

/// Writes one complete file; the caller commits the file.
void write_safetensors_file(const SafetensorsContent& content, const SaveOptions& options,
                            AtomicFile& file);

}  // namespace tern::detail
