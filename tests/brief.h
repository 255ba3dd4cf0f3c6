#pragma once

#include <cstdlib>

#include "sanitizer.h"

namespace tern::testing {

/// Returns whether another run of the program looks at all numbers, so that this one may see fewer:
/// under a sanitizer, which looks at memory, and in runs with other kernels or in another locale.
inline bool is_brief_run() {
  return has_sanitizer() || std::getenv("TERN_TEST_VARIANT") != nullptr;
}

}  // namespace tern::testing
