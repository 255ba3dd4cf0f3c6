#pragma once

#include <cstdint>
#include <string>

namespace tern::data::detail {

/// Returns the bytes of a regular file. `reader` begins the error texts.
///
/// Throws: FileError if the file cannot be read, is no regular file or has more than `limit` bytes;
/// OutOfMemoryError.
std::string read_file(const char* reader, const std::string& path,
                      std::uint64_t limit = std::uint64_t{1} << 40);

/// Returns `folder` and `name` joined by one slash.
std::string join_path(const std::string& folder, const std::string& name);

/// Returns true if something lies at `path`.
bool path_exists(const std::string& path);

}  // namespace tern::data::detail
