#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tern/nn/data/dataset.h>

namespace tern::data::datasets {

/// The lines of a text file, without their line ends. The file stays in memory once, however many
/// copies of the dataset there are.
///
/// Example:
///   datasets::TextLines lines("corpus.txt");
///   auto lengths = lines.map(transforms::Lambda<std::string, std::size_t>(
///       [](std::string line) { return line.size(); }));
class TERN_API TextLines : public Dataset<TextLines, std::string> {
 public:
  /// Reads a file. Lines end in LF or CR LF; a byte order mark is skipped, and so are empty lines
  /// with `skip_empty`. Throws FileError if the file cannot be read.
  explicit TextLines(const std::string& path, StrictBool skip_empty = false);

  /// Returns line `index`. Throws IndexError out of range.
  std::string get(std::size_t index) override;
  std::optional<std::size_t> size() const override;

 private:
  struct Content;
  std::shared_ptr<const Content> content_;
};

}  // namespace tern::data::datasets
