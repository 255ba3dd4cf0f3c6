#pragma once

#include <string>
#include <vector>

#include <tern/tern.h>

/// Prints the content of a file. Reads only the header of a safetensors file.
void show_info(const std::string& path);

/// Writes the state in `from` to `to`. Also writes the metadata if the format of `to` supports
/// metadata; otherwise prints a warning on standard error.
void convert_file(const std::string& from, const std::string& to, tern::SaveOptions options);

/// Prints the differences between two files and returns true if there are none. Numbers that differ
/// by at most `tolerance` count as equal.
bool show_difference(const std::string& a, const std::string& b, double tolerance);

/// Reads and checks each file completely and prints the errors. Returns true if all files are
/// valid.
bool validate(const std::vector<std::string>& paths);
