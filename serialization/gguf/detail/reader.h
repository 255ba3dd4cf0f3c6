#pragma once

#include <memory>

#include <tern/serialization/file/detail/input_file.h>
#include <tern/serialization/file/detail/mapped_file.h>
#include <tern/serialization/gguf/detail/header.h>

namespace tern::detail {

/// Reads the tensors of one open file.
class GgufReader {
 public:
  /// `file` must outlive this object. The tensors may outlive both.
  GgufReader(const InputFile& file, const LoadFileOptions& options);

  const GgufHeader& header() const { return header_; }
  /// Returns true if read() takes the entry's type.
  static bool reads(const GgufEntry& entry);
  /// Where bytes come from: pages of the mapping, if there is one, or calls that read the file.
  /// Elements that are copied anyway are read, because pages of the mapping, once touched, stay in
  /// the memory of the process beside the copy.
  enum class Source { kMapping, kCalls };
  /// Returns the tensor; blocks become float32. Throws FileError for a type that tern does not
  /// read.
  Tensor read(const GgufEntry& entry, Source source = Source::kMapping) const;
  /// Returns the blocks. Throws FileError for a type without blocks.
  GgufBlocks read_blocks(const GgufEntry& entry, Source source = Source::kMapping) const;

 private:
  Tensor stored(const GgufEntry& entry, IntArrayRef shape, ScalarType dtype, Source source) const;
  Tensor dequantized(const GgufEntry& entry, BlockFormat format, Source source) const;

  const InputFile& file_;
  GgufHeader header_;
  std::shared_ptr<const MappedFile> mapping_;  // null if tensors are read into memory
};

}  // namespace tern::detail
