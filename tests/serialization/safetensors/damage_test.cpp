#include <gtest/gtest.h>

#include <algorithm>

#include <tern/core/ops/ops.h>
#include <tern/serialization/state_file.h>

#include "serialization/scratch.h"

// Files that were damaged on their way: cut off, or with a bit flipped.

namespace tern {
namespace {

State safetensors_sample() {
  State model;
  model.insert("fc.weight", arange(6, kFloat).reshape({2, 3}));
  model.insert("fc.bias", ones({2}, kDouble));
  model.insert("mask", tensor({true, false}));
  State state;
  state.insert("model", model);
  state.insert("epoch", 3);
  return state;
}

class SafetensorsDamage : public ::testing::Test {
 protected:
  SafetensorsDamage() {
    save(safetensors_sample(), path_);
    bytes_ = read_file(path_);
  }
  const Scratch scratch_;
  const std::string path_ = scratch_.path("state.safetensors");
  std::string bytes_;
};

TEST_F(SafetensorsDamage, CutOffAnywhere) {
  for (std::size_t size = bytes_.size(); size-- > 0;) {
    std::filesystem::resize_file(path_, size);
    EXPECT_THROW(load_state(path_), FileError) << "after " << size << " bytes";
  }
}

TEST_F(SafetensorsDamage, OneByteMore) {
  write_file(path_, bytes_ + '\0');
  EXPECT_THROW(load_state(path_), FileError);
}

/// As many tensors of the same sizes in bytes; their numbers, names and shapes may differ.
void collect_sizes(const State& state, std::vector<std::size_t>& sizes) {
  if (state.is_tensor()) sizes.push_back(state.tensor().nbytes());
  if (!state.is_dict()) return;
  for (const auto& [key, value] : state) collect_sizes(value, sizes);
}
std::vector<std::size_t> sizes_of(const State& state) {
  std::vector<std::size_t> sizes;
  collect_sizes(state, sizes);
  std::ranges::sort(sizes);
  return sizes;
}

TEST_F(SafetensorsDamage, OneFlippedBit) {
  const std::vector<std::size_t> good = sizes_of(safetensors_sample());
  std::size_t read = 0;
  for (std::size_t bit = 0; bit < 8 * bytes_.size(); ++bit) {
    // In place: new files by the thousand would wait for the disk.
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    const char byte = bytes_[bit / 8];
    file.seekp(static_cast<long>(bit / 8)).put(static_cast<char>(byte ^ (1 << bit % 8))).flush();
    try {
      // A flip may give other numbers, names or a shape of the same size, and nothing else.
      EXPECT_EQ(sizes_of(load_state(path_)), good) << "bit " << bit;
      ++read;
    } catch (const FileError&) {
    }
    file.seekp(static_cast<long>(bit / 8)).put(byte);
  }
  EXPECT_LT(read, 8 * bytes_.size() / 2);
}

}  // namespace
}  // namespace tern
