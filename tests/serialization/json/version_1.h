#pragma once

#include <stdexcept>
#include <string>

namespace tern {

/// The text of a state in a JSON file as older libraries wrote it: version 1, with the tree as a
/// string in the metadata. `text` is a file that this library wrote.
inline std::string as_version_1(const std::string& text) {
  const std::string state = ",\n\"state\": ", tensors = ",\n\"tensors\": {",
                    wrapper = "{\"$value\": ";
  const std::size_t begin = text.find(state), end = text.find(tensors, begin);
  const std::size_t version = text.find("\"version\": 2"), metadata = text.find("\"metadata\": {}");
  if (end == text.npos || version == text.npos || metadata == text.npos) {
    throw std::logic_error("no state of version 2 without metadata");
  }
  std::string tree = text.substr(begin + state.size(), end - begin - state.size());
  if (tree.starts_with(wrapper))
    tree = tree.substr(wrapper.size(), tree.size() - wrapper.size() - 1);
  std::string quoted;
  for (const char c : tree) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c != '\n') quoted += c;
  }
  return "{\n\"format\": \"tern.state_dict\",\n\"version\": 1,\n\"metadata\": {\"tern.state\": \"" +
         quoted + "\"}" + text.substr(end);
}

}  // namespace tern
