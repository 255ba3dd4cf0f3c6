#include "leaves.h"

#include <sstream>

namespace {

void collect(const tern::State& state, const std::string& path, std::vector<Leaf>& leaves) {
  if (state.is_dict()) {
    for (const auto& [key, value] : state) collect(value, join_path(path, key), leaves);
  } else if (state.is_list()) {
    for (std::size_t i = 0; i < state.size(); ++i) {
      collect(state[i], join_path(path, std::to_string(i)), leaves);
    }
  } else {
    leaves.emplace_back(path, state);
  }
}

}  // namespace

std::string join_path(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

std::vector<Leaf> leaves_of(const tern::State& state) {
  std::vector<Leaf> leaves;
  collect(state, "", leaves);
  return leaves;
}

std::string text_of_leaf(const tern::State& leaf) {
  if (leaf.is_string()) return '"' + leaf.string() + '"';
  std::ostringstream out;
  out.precision(17);
  if (leaf.is_bool()) {
    out << (leaf.to<bool>() ? "true" : "false");
  } else if (leaf.is_int()) {
    out << leaf.to<std::int64_t>();
  } else if (leaf.is_double()) {
    out << leaf.to<double>();
  } else {
    out << "null";
  }
  return out.str();
}

std::string printable(std::string text) {
  for (char& c : text) {
    if (('\0' <= c && c < ' ') || c == '\x7f') c = '?';
  }
  return text;
}

std::string text_of_sizes(tern::IntArrayRef sizes) {
  std::ostringstream out;
  out << sizes;
  return out.str();
}
