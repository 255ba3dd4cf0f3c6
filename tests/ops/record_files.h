#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "source_folder.h"

namespace tern::testing {

/// The folder of the records.
inline std::filesystem::path record_folder() { return source_folder() + "/tests/ops/cases"; }

/// Returns the paths of all records under that folder, like "reduce/sum.json", in order.
inline std::vector<std::string> record_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(record_folder())) {
    if (entry.path().extension() == ".json") {
      files.push_back(entry.path().lexically_relative(record_folder()).generic_string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace tern::testing
