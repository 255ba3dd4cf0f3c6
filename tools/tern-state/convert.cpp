#include <cstdio>
#include <set>

#include "commands.h"
#include "leaves.h"

namespace {

/// Removes metadata whose keys the format of `to` reserves, and prints a warning for each.
void drop_reserved(tern::SaveOptions& options, const tern::State& state, const std::string& to) {
  std::set<std::string> names;
  if (to.ends_with(".safetensors")) {  // metadata with names of tensors describes tied tensors
    for (const auto& [name, leaf] : leaves_of(state)) {
      if (leaf.is_tensor()) names.insert(name);
    }
  }
  std::erase_if(options.metadata, [&](const auto& item) {
    const auto& [key, value] = item;
    const bool is_dropped =
        tern::is_reserved_metadata(key, options) || names.contains(key) || names.contains(value);
    if (is_dropped) {
      std::fprintf(stderr, "%s: metadata '%s' is left out, because this format reserves the key\n",
                   to.c_str(), printable(key).c_str());
    }
    return is_dropped;
  });
}

/// Returns `state` without its tensors on meta, which no file can hold; in a list, null replaces
/// them. Adds their keys to `skipped`.
tern::State without_meta(const tern::State& state, const std::string& path, Skipped& skipped) {
  if (!state.is_dict() && !state.is_list()) return state;
  tern::State result = state.is_list() ? tern::State::list() : tern::State();
  const auto add = [&](const std::string& key, const tern::State& value) {
    const std::string inner = join_path(path, key);
    const bool is_meta = value.is_tensor() && value.tensor().is_meta();
    if (is_meta) skipped.emplace_back(inner, "a tensor on the device meta");
    if (state.is_list()) {
      result.push_back(is_meta ? nullptr : without_meta(value, inner, skipped));
    } else if (!is_meta) {
      result.insert(key, without_meta(value, inner, skipped));
    }
  };
  if (state.is_list()) {
    for (std::size_t i = 0; i < state.size(); ++i) add(std::to_string(i), state[i]);
  } else {
    for (const auto& [key, value] : state) add(key, value);
  }
  return result;
}

}  // namespace

tern::State load_file(const std::string& path, tern::LoadFileOptions options, bool skip,
                      Skipped& skipped) {
  if (skip) options.skipped = &skipped;
  try {
    return tern::load_state(path, options);
  } catch (const tern::FileError& error) {
    const std::string option = "LoadFileOptions::skipped";
    std::string text = error.what();
    const std::size_t at = text.find(option);
    if (at == std::string::npos) throw;
    throw tern::FileError(text.replace(at, option.size(), "--skip"));
  }
}

void warn_of_skipped(const std::string& path, const Skipped& skipped) {
  for (const auto& [keys, what] : skipped) {
    std::fprintf(stderr, "%s: '%s' is left out: %s\n", path.c_str(), printable(keys).c_str(),
                 printable(what).c_str());
  }
}

void convert_file(const std::string& from, const std::string& to, tern::SaveOptions options,
                  bool skip) {
  Skipped skipped;
  tern::State state = load_file(from, {.metadata = &options.metadata}, skip, skipped);
  if (skip) state = without_meta(state, "", skipped);
  warn_of_skipped(from, skipped);
  if (!to.ends_with(".json") && !to.ends_with(".safetensors") && !options.metadata.empty()) {
    std::fprintf(stderr, "%s: this format has no metadata, %zu strings are left out\n", to.c_str(),
                 options.metadata.size());
    options.metadata.clear();
  }
  drop_reserved(options, state, to);
  tern::save(state, to, options);
}
