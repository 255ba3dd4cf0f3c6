#pragma once

#include <cstdlib>
#include <string>

// Where tests find the files that they read: in the sources that they were compiled from, or in the
// copy of them that TERN_TEST_SOURCES names, where the programs run on another machine.

namespace tern::testing {

/// Returns the folder of the sources.
inline std::string source_folder() {
  const char* const copy = std::getenv("TERN_TEST_SOURCES");
  return copy != nullptr ? copy : TERN_SOURCE_DIR;
}

/// Returns the folder of PyTorch's numbers and files.
inline std::string golden_folder() { return source_folder() + "/tests/golden"; }

}  // namespace tern::testing
