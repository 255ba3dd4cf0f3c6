#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tern/core/base/small_vector.h>
#include <tern/core/base/visibility.h>
#include <tern/core/tensor/tensor.h>
#include <tern/serialization/state_file.h>

namespace tern {

/// The entry of one tensor in the header of a safetensors file.
struct SafetensorsEntry {
  /// The name of the tensor.
  std::string name;
  /// The name of the dtype in the format, such as "F32". tern may not have the dtype.
  std::string_view dtype;
  /// The sizes.
  DimVector shape;
  /// The byte range of the elements in the file, [begin, end).
  std::uint64_t begin = 0, end = 0;
};

/// Keys and values of `__metadata__`.
using SafetensorsMetadata = std::vector<std::pair<std::string, std::string>>;

/// An open safetensors file, whose tensors are read one by one. Opening the file checks the whole
/// header: the tensors must fill the rest of the file without holes or overlaps.
///
/// Example:
///   const SafetensorsFile file("model.safetensors");
///   for (const SafetensorsEntry& entry : file.entries()) { ... entry.name, entry.shape ... }
///   Tensor weight = file.read("fc1.weight");
class TERN_API SafetensorsFile {
 public:
  /// Opens a file and checks its header. Throws FileError, which names the file and the tensor.
  explicit SafetensorsFile(const std::string& path, const LoadFileOptions& options = {});
  /// Takes over the open file.
  SafetensorsFile(SafetensorsFile&&) noexcept;
  /// Takes over the open file.
  SafetensorsFile& operator=(SafetensorsFile&&) noexcept;
  /// Closes the file. Mapped tensors stay valid.
  ~SafetensorsFile();

  /// Returns the entries in the order of the header.
  const std::vector<SafetensorsEntry>& entries() const;
  /// Returns the strings of `__metadata__`.
  const SafetensorsMetadata& metadata() const;
  /// Returns the entry of a name, or null if the file has no such tensor.
  const SafetensorsEntry* find(std::string_view name) const;
  /// Reads one tensor to the CPU. Throws IndexError if the file has no tensor of this name, and
  /// FileError if tern does not have its dtype.
  Tensor read(std::string_view name) const;

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace tern
