#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace tern::kernels {

/// Returns the ordinals of `count` devices that the value of CUDA_VISIBLE_DEVICES (null: not set)
/// selects, in its order. As in CUDA, the first entry that is not the ordinal of a device ends the
/// list, and a repeated entry makes it empty.
inline std::vector<int> visible_devices(const char* value, int count) {
  std::vector<int> ordinals;
  if (value == nullptr) {
    for (int i = 0; i < count; ++i) ordinals.push_back(i);
    return ordinals;
  }
  // Parses like strtol: "1st,0" is "1,0".
  for (const char* entry = value;; ++entry) {
    char* end = nullptr;
    const long ordinal = std::strtol(entry, &end, 10);
    if (end == entry || ordinal < 0 || ordinal >= count) return ordinals;
    if (std::find(ordinals.begin(), ordinals.end(), ordinal) != ordinals.end()) return {};
    ordinals.push_back(static_cast<int>(ordinal));
    entry = std::strchr(end, ',');
    if (entry == nullptr) return ordinals;
  }
}

}  // namespace tern::kernels
