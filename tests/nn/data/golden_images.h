#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include <tern/core/base/error.h>
#include <tern/nn/data/image_file.h>

#include "source_folder.h"

namespace tern::data {

/// The path of a golden image.
inline std::string golden_image(const std::string& name) {
  return testing::golden_folder() + "/data/images/" + name;
}

/// The bytes of a golden image.
inline std::string golden_bytes(const std::string& name) {
  std::ifstream file(golden_image(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// False if this tern was built without libjpeg-turbo.
inline bool reads_jpeg() {
  try {
    read_image(golden_image("rgb.jpg"));
    return true;
  } catch (const NotImplementedError&) {
    return false;
  }
}

}  // namespace tern::data
