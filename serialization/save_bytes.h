#pragma once

#include <string>
#include <string_view>

#include <tern/core/base/visibility.h>

namespace tern {

/// Writes `bytes` to `path` as save_state() writes a state: after an error or a crash the file has
/// its old content or the new content, never a part. For pictures, tables and other files of a
/// program. Throws FileError with the path, the step that failed and the system's reason.
///
/// Example:
///   tern::save_bytes("epochs: 10\n", "results/summary.txt");
TERN_API void save_bytes(std::string_view bytes, const std::string& path);

}  // namespace tern
