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

/// What a safetensors file says about one of its tensors.
struct SafetensorsEntry {
  std::string name;
  /// As the format calls it: "F32". It may be one that tern has no tensors for.
  std::string_view dtype;
  DimVector shape;
  /// The bytes of the file where the elements stand: [begin, end).
  std::uint64_t begin = 0, end = 0;
};

using SafetensorsMetadata = std::vector<std::pair<std::string, std::string>>;

/// An open safetensors file whose tensors are read one by one. The whole header is checked when it
/// is opened: the tensors fill the rest of the file without holes or overlaps.
///
/// Example:
///   const SafetensorsFile file("model.safetensors");
///   for (const SafetensorsEntry& entry : file.entries()) { ... entry.name, entry.shape ... }
///   Tensor weight = file.read("fc1.weight");
class TERN_API SafetensorsFile {
 public:
  /// Throws FileError naming the file and the tensor.
  explicit SafetensorsFile(const std::string& path, const LoadFileOptions& options = {});
  SafetensorsFile(SafetensorsFile&&) noexcept;
  SafetensorsFile& operator=(SafetensorsFile&&) noexcept;
  ~SafetensorsFile();

  /// In the order of the header.
  const std::vector<SafetensorsEntry>& entries() const;
  /// The strings of `__metadata__`.
  const SafetensorsMetadata& metadata() const;
  /// Null when there is no tensor of this name.
  const SafetensorsEntry* find(std::string_view name) const;
  /// Reads one tensor, on the CPU. Throws IndexError when there is none of this name and FileError
  /// when tern has no tensors of its dtype.
  Tensor read(std::string_view name) const;

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace tern
