#pragma once

#include <memory>

#include <tern/serialization/file/detail/input_file.h>
#include <tern/serialization/file/detail/mapped_file.h>
#include <tern/serialization/safetensors/detail/header.h>
#include <tern/serialization/state/detail/flat_state.h>

namespace tern::detail {

/// Reads the tensors of one open file.
class SafetensorsReader {
 public:
  /// `file` must outlive this object. The tensors may outlive both.
  SafetensorsReader(const InputFile& file, const LoadFileOptions& options);

  const SafetensorsHeader& header() const { return header_; }
  /// Throws FileError if tern does not have the dtype of the entry.
  Tensor read(const SafetensorsEntry& entry) const { return read({&entry, 1}, nullptr)[0]; }
  /// Returns one tensor for each entry. If tern does not have the dtype of an entry, the tensor is
  /// undefined, and `skipped` receives the entry's name; null makes this an error.
  std::vector<Tensor> read(ArrayRef<SafetensorsEntry> entries,
                           decltype(LoadFileOptions::skipped) skipped) const;

 private:
  Tensor map(const SafetensorsEntry& entry, ScalarType dtype) const;

  const InputFile& file_;
  SafetensorsHeader header_;
  std::shared_ptr<const MappedFile> mapping_;  // null if tensors are read into memory
};

/// Takes the tree and the names of tied tensors from the metadata. A tied tensor is stored under
/// one name; the metadata maps each other name to it, as in the reference implementation:
/// {"encoder.weight": "decoder.weight"}. All strings that tern did not write go to
/// `options.metadata`.
void apply_metadata(const SafetensorsMetadata& metadata, FlatState& flat,
                    const LoadFileOptions& options);

}  // namespace tern::detail
