#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tern/serialization/file/detail/input_file.h>
#include <tern/serialization/safetensors.h>
#include <tern/serialization/safetensors/detail/json_scanner.h>

namespace tern::detail {

// The index of a state in several files, in the form of the Hugging Face libraries:
//
//   {"metadata": {"total_size": 1254400},
//    "weight_map": {"fc1.weight": "model-00001-of-00002.safetensors", ...}}
//
// An index of tern also has kSaveKey and the metadata that a single file would have.

constexpr std::string_view kIndexSuffix = ".index.json";
/// The metadata key that is equal in an index and its files if the same save wrote them.
constexpr std::string_view kSaveKey = "tern.save";
/// The metadata key of an index for the total size of all tensors in bytes, a number.
constexpr std::string_view kTotalSizeKey = "total_size";

/// The content of an index. Names refer to the text instead of being copied, so that a malicious
/// index takes little more memory than its own size.
class SafetensorsIndex {
 public:
  /// Throws FileError if the file is not an index. A file name in an index must not have a folder.
  explicit SafetensorsIndex(const InputFile& file);
  SafetensorsIndex(const SafetensorsIndex&) = delete;
  SafetensorsIndex& operator=(const SafetensorsIndex&) = delete;

  std::size_t size() const { return rows_.size(); }
  /// Calls `visitor(tensor, file)` with the name of each tensor and the name of its file, in the
  /// order of the index.
  template <class Visitor>
  void each(const Visitor& visitor) const {
    for (const Row& row : rows_) visitor(scan_.text(row.tensor), scan_.text(row.file));
  }
  /// Returns the strings of the metadata.
  const SafetensorsMetadata& metadata() const { return metadata_; }

 private:
  struct Row {
    JsonScanner::Place tensor, file;
  };

  void read_map();
  void read_metadata();
  void skip(std::string_view key);
  void refuse_equal();
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const;

  const std::string path_;
  std::string text_;
  JsonScanner scan_;
  std::vector<Row> rows_;
  SafetensorsMetadata metadata_;
};

/// Returns the value of `key`, or an empty string if the key is missing.
std::string_view find_metadata(const SafetensorsMetadata& metadata, std::string_view key);

}  // namespace tern::detail
