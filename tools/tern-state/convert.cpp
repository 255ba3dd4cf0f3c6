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

}  // namespace

void convert_file(const std::string& from, const std::string& to, tern::SaveOptions options) {
  const tern::State state = tern::load_state(from, {.metadata = &options.metadata});
  if (!to.ends_with(".json") && !to.ends_with(".safetensors") && !options.metadata.empty()) {
    std::fprintf(stderr, "%s: this format has no metadata, %zu strings are left out\n", to.c_str(),
                 options.metadata.size());
    options.metadata.clear();
  }
  drop_reserved(options, state, to);
  tern::save(state, to, options);
}
