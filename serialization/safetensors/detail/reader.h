#pragma once

#include <memory>

#include <tern/serialization/file/detail/input_file.h>
#include <tern/serialization/file/detail/mapped_file.h>
#include <tern/serialization/safetensors/detail/header.h>
#include <tern/serialization/state/detail/flat_state.h>

namespace tern::detail {

/// The tensors of one open file.
class SafetensorsReader {
 public:
  /// `file` must outlive this object, but not the tensors.
  SafetensorsReader(const InputFile& file, const LoadFileOptions& options);

  const SafetensorsHeader& header() const { return header_; }
  /// Throws FileError when tern has no tensors of an entry's dtype.
  Tensor read(const SafetensorsEntry& entry) const { return read({&entry, 1})[0]; }
  std::vector<Tensor> read(ArrayRef<SafetensorsEntry> entries) const;

 private:
  ScalarType dtype_of(const SafetensorsEntry& entry) const;
  Tensor map(const SafetensorsEntry& entry, ScalarType dtype) const;

  const InputFile& file_;
  SafetensorsHeader header_;
  std::shared_ptr<const MappedFile> mapping_;  // null: read into memory
};

/// Takes the tree from the metadata, and gives tensors that were stored once their other names:
/// {"encoder.weight": "decoder.weight"}, as the reference writes it. What is neither, nor tern's,
/// is the user's and goes to `options.metadata`.
void apply_metadata(const SafetensorsMetadata& metadata, FlatState& flat,
                    const LoadFileOptions& options);

}  // namespace tern::detail
