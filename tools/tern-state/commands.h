#pragma once

#include <string>
#include <vector>

#include <tern/tern.h>

/// Prints what a file holds; of a safetensors file only the header is read.
void show_info(const std::string& path);

/// Writes `to` with the state in `from` and, where its format has such, the metadata; says on
/// standard error when it has not.
void convert_file(const std::string& from, const std::string& to, tern::SaveOptions options);

/// Prints what differs between two files; differences of numbers up to `tolerance` are none.
/// Returns whether they hold the same.
bool show_difference(const std::string& a, const std::string& b, double tolerance);

/// Reads and checks all of each file and prints what is wrong. Returns whether all are right.
bool validate(const std::vector<std::string>& paths);
