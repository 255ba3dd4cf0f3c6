#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>

namespace tern {

/// Writes MNIST's four files into a new folder, with `count` images of 28 x 28 each. The pixels are
/// a pattern, the labels 0 to 9 in turn.
inline void write_mnist(const std::string& folder, std::uint32_t count) {
  const auto header = [](std::initializer_list<std::uint32_t> words) {
    std::string bytes;
    for (const std::uint32_t word : words) {
      for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(word >> shift & 0xff);
    }
    return bytes;
  };
  std::string pixels, labels;
  for (std::uint32_t i = 0; i < count * 784; ++i) pixels += static_cast<char>(i * i % 251);
  for (std::uint32_t i = 0; i < count; ++i) labels += static_cast<char>(i % 10);
  std::filesystem::create_directories(folder);
  for (const std::string part : {"train", "t10k"}) {
    std::ofstream(folder + "/" + part + "-images-idx3-ubyte", std::ios::binary)
        << header({0x803, count, 28, 28}) << pixels;
    std::ofstream(folder + "/" + part + "-labels-idx1-ubyte", std::ios::binary)
        << header({0x801, count}) << labels;
  }
}

}  // namespace tern
