#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tern/serialization/file/detail/input_file.h>
#include <tern/serialization/safetensors.h>
#include <tern/serialization/safetensors/detail/json_scanner.h>

namespace tern::detail {

// The index of a state in several files, as the Hugging Face libraries write it:
//
//   {"metadata": {"total_size": 1254400},
//    "weight_map": {"fc1.weight": "model-00001-of-00002.safetensors", ...}}
//
// tern's also has the metadata that a single file would have, and kSaveKey.

constexpr std::string_view kIndexSuffix = ".index.json";
/// In the metadata of an index and of its files: equal when one save wrote them.
constexpr std::string_view kSaveKey = "tern.save";
/// In the metadata of an index: the bytes of all tensors, a number.
constexpr std::string_view kTotalSizeKey = "total_size";

/// What an index says. Its names stay where they stand in the text, so that a hostile one costs
/// little more than its own size.
class SafetensorsIndex {
 public:
  /// Throws FileError for what is no such index; names of files have no folder in them.
  explicit SafetensorsIndex(const InputFile& file);
  SafetensorsIndex(const SafetensorsIndex&) = delete;
  SafetensorsIndex& operator=(const SafetensorsIndex&) = delete;

  std::size_t size() const { return rows_.size(); }
  /// Calls `visitor(tensor, file)` with the name of each tensor and of the file that has it, in the
  /// order of the text.
  template <class Visitor>
  void each(const Visitor& visitor) const {
    for (const Row& row : rows_) visitor(scan_.text(row.tensor), scan_.text(row.file));
  }
  /// What of it is a string.
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

/// The value of `key`, or an empty string.
std::string_view find_metadata(const SafetensorsMetadata& metadata, std::string_view key);

}  // namespace tern::detail
