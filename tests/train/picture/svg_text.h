#pragma once

#include <cstdlib>
#include <string>

#include <tern/serialization/save_bytes.h>

namespace tern::train {

/// Returns how often `part` occurs.
inline long occurrences(const std::string& text, const std::string& part) {
  long found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

/// Writes a picture where a person can look at it: TERN_TEST_PICTURES=folder.
inline void show(const std::string& name, const std::string& svg) {
  if (const char* folder = std::getenv("TERN_TEST_PICTURES")) {
    save_bytes(svg, folder + ("/" + name));
  }
}

}  // namespace tern::train
