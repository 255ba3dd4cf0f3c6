#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tern/tern.h>

/// The values that a State cannot hold: their keys, and what they are.
using Skipped = std::vector<std::pair<std::string, std::string>>;

/// Loads a file. With `skip`, leaves out values that a State cannot hold and adds them to
/// `skipped`; without it, such a value is an error that names the option --skip.
tern::State load_file(const std::string& path, tern::LoadFileOptions options, bool skip,
                      Skipped& skipped);

/// Prints a warning on standard error for each value that is left out of `path`.
void warn_of_skipped(const std::string& path, const Skipped& skipped);

/// Prints the content of a file. Reads only the header of a safetensors or GGUF file.
void show_info(const std::string& path);

/// Writes the state in `from` to `to`. Also writes the metadata if the format of `to` supports
/// metadata; otherwise prints a warning on standard error. With `skip`, leaves out values that a
/// State cannot hold, with a warning for each.
void convert_file(const std::string& from, const std::string& to, tern::SaveOptions options,
                  bool skip);

/// Prints the differences between two files and returns true if there are none. Numbers that differ
/// by at most `tolerance` count as equal. `skip` as in convert_file().
bool show_difference(const std::string& a, const std::string& b, double tolerance, bool skip);

/// Reads and checks each file completely and prints the errors. Returns true if all files are
/// valid.
bool validate(const std::vector<std::string>& paths);
