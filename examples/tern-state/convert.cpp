#include <cstdio>

#include "commands.h"

void convert_file(const std::string& from, const std::string& to, tern::SaveOptions options) {
  const tern::State state = tern::load_state(from, {.metadata = &options.metadata});
  if (!to.ends_with(".json") && !to.ends_with(".safetensors") && !options.metadata.empty()) {
    std::fprintf(stderr, "%s: this format has no metadata, %zu strings are left out\n", to.c_str(),
                 options.metadata.size());
    options.metadata.clear();
  }
  tern::save(state, to, options);
}
