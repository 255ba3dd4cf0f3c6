#pragma once

#include <string>
#include <string_view>

#include <tern/core/tensor/state.h>
#include <tern/serialization/file/detail/atomic_file.h>
#include <tern/serialization/file/detail/input_file.h>
#include <tern/serialization/state_file.h>

namespace tern::detail {

/// The SaveOptions that only some formats support, as bits.
enum FormatTakes : unsigned { kTakesBase64 = 1, kTakesMetadata = 2, kTakesShards = 4 };

/// One file format for a State. formats.cpp has the table of all formats; a new format adds a row
/// to the table.
struct Format {
  /// The name of the format in error texts, such as "JSON".
  std::string_view name;
  /// The file name suffixes, each with its dot and a space after it: ".pt .pth ".
  std::string_view suffixes;
  /// Returns true if a file with these first bytes, at most kHeadSize, can be in this format.
  bool (*recognizes)(std::string_view head);
  /// The supported options, a sum of FormatTakes.
  unsigned takes;
  /// Writes all of `state`; the caller commits the file. Throws FileError if the format cannot
  /// store a part of the state. Null for a format that is only read.
  void (*write)(const State& state, const SaveOptions& options, AtomicFile& file);
  /// Checks and reads the whole file. Throws FileError, or Error if the State refuses a value; the
  /// caller adds the path to the text of an Error.
  State (*read)(const InputFile& file, const LoadFileOptions& options);
};

constexpr std::size_t kHeadSize = 512;

/// Returns the format whose suffix `path` ends in, or null for other names. The longest matching
/// suffix wins. `what` is "save" or "load". Throws FileError for a NUL byte in the path.
const Format* format_of_suffix(const char* what, std::string_view path);

/// Returns the format for saving to `path`. Throws FileError, which lists all suffixes, if the path
/// ends in none of them.
const Format& format_to_save(std::string_view path);

/// Throws FileError for options that `format` does not support, and for metadata keys that tern
/// itself writes.
void check_options(const Format& format, const SaveOptions& options, const std::string& path);

/// Returns the format of the file's first bytes. `expected` is the format of the file's suffix;
/// null accepts every format. Throws FileError, which names the format found, if the bytes are not
/// in the expected format.
const Format& format_of_content(const Format* expected, const InputFile& file);

}  // namespace tern::detail
