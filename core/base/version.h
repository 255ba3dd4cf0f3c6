#pragma once

#include <tern/core/base/visibility.h>

// The only definition of the version: CMakeLists.txt reads these three numbers.

/// The version of the headers that a program is compiled with, by semantic versioning.
///
/// Example:
///   #if TERN_VERSION_MAJOR == 0 && TERN_VERSION_MINOR < 3
#define TERN_VERSION_MAJOR 0
/// The second number of TERN_VERSION.
#define TERN_VERSION_MINOR 3
/// The third number of TERN_VERSION.
#define TERN_VERSION_PATCH 0

/// Turns a number of the version into text, after macro replacement.
#define TERN_VERSION_TEXT_OF(number) #number
/// The three numbers of a version as text.
#define TERN_VERSION_TEXT(major, minor, patch) \
  TERN_VERSION_TEXT_OF(major) "." TERN_VERSION_TEXT_OF(minor) "." TERN_VERSION_TEXT_OF(patch)
/// The version of the headers as a string, such as "1.2.3".
#define TERN_VERSION TERN_VERSION_TEXT(TERN_VERSION_MAJOR, TERN_VERSION_MINOR, TERN_VERSION_PATCH)

namespace tern {

/// Returns the version of the loaded library. It is newer than TERN_VERSION if the library was
/// updated after the program was compiled.
///
/// Example:
///   std::cout << "tern " << tern::version();  // tern 1.2.3
TERN_API const char* version() noexcept;

}  // namespace tern
