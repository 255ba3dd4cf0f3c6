#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tern/tern.h>

/// A tensor, number, text or null of a state, with the keys that lead to it joined by dots.
using Leaf = std::pair<std::string, tern::State>;

/// Joins the keys on the path to a leaf.
std::string join_path(const std::string& path, const std::string& key);

/// Returns all leaves, in order.
std::vector<Leaf> leaves_of(const tern::State& state);

/// Returns the content of a leaf that is not a tensor, as text.
std::string text_of_leaf(const tern::State& leaf);

/// Removes control characters from a text of a file, so that it can be printed on a terminal.
std::string printable(std::string text);

/// Returns a dtype's name in state files, such as "F32".
inline const char* dtype_name(const tern::Tensor& tensor) {
  return tern::dtype_info(tensor.dtype()).file_name;
}
/// Formats sizes as "[2, 3]".
std::string text_of_sizes(tern::IntArrayRef sizes);
