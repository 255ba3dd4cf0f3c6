#include <tern/core/base/error.h>
#include <tern/nn/data/csv.h>

#include "input.h"

// Any bytes as a CSV file: an error, or a table whose parts have the same number of columns.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tern::fuzz::Folder folder;
  const std::string path = folder.file("input.csv", data, size);
  using tern::data::CsvOptions;
  for (const CsvOptions& options :
       {CsvOptions(), CsvOptions().header(true).separator(';'),
        CsvOptions().header(true).categories({"species"}), CsvOptions().categories({"0"})}) {
    try {
      const tern::data::CsvTable table = tern::data::read_csv(path, options);
      const auto columns = static_cast<std::size_t>(table.values.size(1));
      if (table.names.size() != columns || table.classes.size() != columns) {
        throw std::logic_error("another number of columns than names");
      }
    } catch (const tern::FileError&) {
    } catch (const tern::IndexError&) {
    }
  }
  return 0;
}
