#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <tern/core/base/array_ref.h>
#include <tern/core/base/strict.h>
#include <tern/core/base/visibility.h>

namespace tern::train {

/// A number or a text in a CSV file. Numbers are the shortest decimals that read back to the same
/// number; infinities and NaN are inf, -inf and nan. No bool converts to it.
class TERN_API CsvValue {
 public:
  /// Takes a number.
  template <class T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) CsvValue(T number) {
    if constexpr (std::is_floating_point_v<T>) {
      set_floating(static_cast<double>(number), std::is_same_v<T, float>);
    } else if constexpr (std::is_signed_v<T>) {
      text_ = std::to_string(static_cast<long long>(number));
    } else {
      text_ = std::to_string(static_cast<unsigned long long>(number));
    }
  }
  /// Takes a text.
  CsvValue(std::string text) : text_(std::move(text)) {}
  CsvValue(std::string_view text) : text_(text) {}
  CsvValue(const char* text) : text_(text) {}

  /// Returns the text, without quotes.
  const std::string& text() const { return text_; }

 private:
  void set_floating(double number, bool is_float32);

  std::string text_;
};

/// A value and the name of its column.
struct CsvCell {
  /// The name of the column.
  std::string column;
  /// The value.
  CsvValue value;
};

/// A CSV file (RFC 4180) that grows by rows, one per epoch or step. Cells that contain a comma, a
/// quote or a line break are quoted.
///
/// Each row is appended by one write to the system, so a killed program leaves whole rows. If a
/// crash of the system cut off the last row, the next CsvLog of the file removes the rest of it.
/// Not for several threads at once.
///
/// Throws: FileError, which names the file, the step that failed and the system's reason. The file
/// then has its old content.
///
/// Example:
///   train::CsvLog log("losses.csv", {"epoch", "train", "test"});
///   log.truncate(start_epoch);  // after resuming from a checkpoint
///   log.row({{"epoch", epoch}, {"train", train_loss}, {"test", test_loss}});
class TERN_API CsvLog {
 public:
  /// Opens the file, or creates it with a header line. With `append` an existing file must have
  /// these columns in this order; without `append` it is replaced.
  ///
  /// Throws: Error if there is no column or if two have the same name, FileError if the existing
  /// header differs.
  CsvLog(std::string path, std::vector<std::string> columns, StrictBool append = true);
  /// Takes over the file; `other` can then only be destroyed or assigned to.
  CsvLog(CsvLog&& other) noexcept;
  /// Takes over the file.
  CsvLog& operator=(CsvLog&& other) noexcept;
  /// Closes the file.
  ~CsvLog();

  /// Appends a row with the cells in the order of the columns. Columns without a cell are empty.
  /// Throws Error for an unknown column and for two cells of the same column.
  void row(ArrayRef<CsvCell> cells);
  /// Removes the rows whose first cell is a larger number than `step`, and returns how many. For
  /// training that continues from a checkpoint of this step: the rows after it will be written
  /// again. Throws FileError for a row whose first cell is no number.
  std::size_t truncate(StrictNumber step);

  /// Returns the path as given.
  const std::string& path() const;
  /// Returns the names of the columns.
  const std::vector<std::string>& columns() const;

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace tern::train
