#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tern/tern.h>

/// A tensor, number, text or null of a state, with the keys that lead to it joined by dots.
using Leaf = std::pair<std::string, tern::State>;

/// The keys on the way to a leaf, joined.
std::string join_path(const std::string& path, const std::string& key);

/// All of them, in order.
std::vector<Leaf> leaves_of(const tern::State& state);

/// What a leaf that is no tensor holds, as text.
std::string text_of_leaf(const tern::State& leaf);

/// A text of a file as a terminal may get it: without control characters.
std::string printable(std::string text);

/// "F32"
inline const char* dtype_name(const tern::Tensor& tensor) {
  return tern::dtype_info(tensor.dtype()).file_name;
}
/// "[2, 3]"
std::string text_of_sizes(tern::IntArrayRef sizes);
