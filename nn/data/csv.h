#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <tern/core/base/strict.h>
#include <tern/core/tensor/dtype.h>
#include <tern/core/tensor/tensor.h>

namespace tern::data {

/// Options of read_csv(). The setters return the options.
class CsvOptions {
 public:
  /// True: the first line has the names of the columns. False by default.
  CsvOptions& header(StrictBool on) {
    header_ = on;
    return *this;
  }
  bool header() const { return header_; }

  /// The character between the values of a line, ',' by default. Not a quote, a digit, a letter, a
  /// point, a sign or the end of a line.
  CsvOptions& separator(char character) {
    separator_ = character;
    return *this;
  }
  char separator() const { return separator_; }

  /// The number for an empty value and for NA, NaN, nan, null and ?, also in a category. NaN by
  /// default.
  CsvOptions& missing(double number) {
    missing_ = number;
    return *this;
  }
  double missing() const { return missing_; }

  /// The columns to read, in this order, by name (with header(true)); all by default.
  CsvOptions& columns(std::vector<std::string> names) {
    columns_ = std::move(names);
    return *this;
  }
  const std::vector<std::string>& columns() const { return columns_; }

  /// The columns whose values are texts, by name or as "0", "1", ... without a header. Each text
  /// becomes the number of its class: the sorted texts count from 0; see CsvTable::classes.
  CsvOptions& categories(std::vector<std::string> names) {
    categories_ = std::move(names);
    return *this;
  }
  const std::vector<std::string>& categories() const { return categories_; }

  /// The dtype of the values, float32 (the default) or float64.
  CsvOptions& dtype(ScalarType dtype) {
    dtype_ = dtype;
    return *this;
  }
  ScalarType dtype() const { return dtype_; }

 private:
  bool header_ = false;
  char separator_ = ',';
  double missing_ = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::string> columns_, categories_;
  ScalarType dtype_ = kFloat;
};

/// The content of a CSV file.
struct CsvTable {
  /// The values, [rows, columns].
  Tensor values;
  /// The names of the columns; "0", "1", ... without a header.
  std::vector<std::string> names;
  /// For each column the texts of its classes in order, empty for a column of numbers.
  std::vector<std::vector<std::string>> classes;

  /// Returns a column, [rows]. Throws IndexError that lists the names.
  TERN_API Tensor column(const std::string& name) const;
};

/// Reads a text file of numbers, one row per line: RFC 4180 with any separator. Values may be in
/// double quotes, lines end in LF, CR LF or CR, empty lines are skipped, and so are spaces around a
/// value. A number below the range of the dtype is 0, a number above it is an error.
///
/// Throws: FileError that names file, line and column for a value that is no number, for a line
/// with another number of values than the first, and for a quote that is not closed; FileError for
/// a file that cannot be read, is UTF-16 or has no row; Error for options that do not fit.
///
/// Example:
///   auto options = data::CsvOptions().header(true).categories({"species"});
///   auto table = data::read_csv("iris.csv", options);
///   data::datasets::PairDataset iris(table.values.narrow(1, 0, 4),
///                                    table.column("species").to(tern::kLong));
TERN_API CsvTable read_csv(const std::string& path, const CsvOptions& options = {});

}  // namespace tern::data
