#pragma once

#include <string>
#include <string_view>

#include <tern/core/tensor/state.h>
#include <tern/serialization/file/detail/atomic_file.h>
#include <tern/serialization/file/detail/input_file.h>
#include <tern/serialization/state_file.h>

namespace tern::detail {

/// What a format takes of those SaveOptions that do not hold for all.
enum FormatTakes : unsigned { kTakesBase64 = 1, kTakesMetadata = 2, kTakesShards = 4 };

/// One way to write a State into a file. The table of all stands in formats.cpp: a new format is a
/// row there.
struct Format {
  /// In errors: "JSON".
  std::string_view name;
  /// Suffixes of its files, each with its point and followed by a space: ".pt .pth ".
  std::string_view suffixes;
  /// Whether a file that begins so can be one of this format; sees at most kHeadSize bytes.
  bool (*recognizes)(std::string_view head);
  /// Of FormatTakes.
  unsigned takes;
  /// Writes all of `state`; the caller commits. Throws FileError for what the format cannot hold.
  void (*write)(const State& state, const SaveOptions& options, AtomicFile& file);
  /// Checks and reads the whole file. Throws FileError or, from what it builds, Error, whose text
  /// then gets the path.
  State (*read)(const InputFile& file, const LoadFileOptions& options);
};

constexpr std::size_t kHeadSize = 512;

/// The format that the suffix of `path` chooses, the longest that fits; null for other names.
/// Throws FileError for a NUL byte in the path; `what` is "save" or "load".
const Format* format_of_suffix(const char* what, std::string_view path);

/// The format to save `path` in. Throws FileError that lists all suffixes when it has none of them.
const Format& format_to_save(std::string_view path);

/// Throws FileError for options that `format` does not take, and for metadata that is tern's own.
void check_options(const Format& format, const SaveOptions& options, const std::string& path);

/// The format that the file's first bytes are of. Throws FileError, which says what the file is
/// instead, unless it begins like `expected`, the format of its suffix, or for null like any
/// format.
const Format& format_of_content(const Format* expected, const InputFile& file);

}  // namespace tern::detail
