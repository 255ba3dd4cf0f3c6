#include <gtest/gtest.h>

#include <tern/core/ops/ops.h>
#include <tern/nn/containers/sequential.h>
#include <tern/nn/modules/batch_norm.h>
#include <tern/nn/modules/linear.h>
#include <tern/serialization/state_file.h>

#include "serialization/scratch.h"

// Files of torch.save that were damaged on their way: cut off, or with a bit flipped.

namespace tern {
namespace {

class TorchDamage : public ::testing::TestWithParam<const char*> {
 protected:
  TorchDamage() : good_(read_file(kGoldenFolder + GetParam())) {}
  const Scratch scratch_;
  const std::string path_ = scratch_.path("x.pt");
  const std::string good_;
};

TEST_P(TorchDamage, CutOffAnywhereLeavesTheModelAsItWas) {
  nn::Sequential net(nn::Linear(4, 3), nn::BatchNorm1d(3));
  State before;
  for (const auto& [key, value] : net->state_dict()) before.insert(key, value.tensor().clone());
  const auto step = static_cast<std::size_t>(count_for(3, 1));
  for (std::size_t size = 0; size < good_.size(); size += step) {
    write_file(path_, good_.substr(0, size));
    EXPECT_THROW(load(net, path_), FileError) << "after " << size << " bytes";
  }
  write_file(path_, good_ + "x");
  EXPECT_THROW(load(net, path_), FileError);
  EXPECT_TRUE(identical(net->state_dict(), before));
}

TEST_P(TorchDamage, OneFlippedBit) {
  write_file(path_, good_);
  const State before = load_state(path_);
  const bool has_checksums = good_.starts_with("PK");
  const auto step = static_cast<std::size_t>(count_for(11, 1));
  for (std::size_t bit = 0; bit < 8 * good_.size(); bit += step) {
    std::string damaged = good_;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    write_file(path_, damaged);
    try {
      const State state = load_state(path_);
      EXPECT_TRUE(!has_checksums || identical(state, before)) << "bit " << bit;
    } catch (const FileError&) {
    }
  }
}

TEST(TorchChecksum, NamesTheTensor) {
  const Scratch scratch;
  const std::string path = scratch.path("x.pt");
  State state;
  state.insert("a", ones({2}));
  state.insert("fc.weight", full({2}, 7.f));
  save(state, path);
  std::string damaged = read_file(path);
  ++damaged[damaged.find(std::string("\0\0\xe0\x40", 4))];
  write_file(path, damaged);
  const std::string text = error_of<FileError>([&] { load_state(path); });
  EXPECT_NE(text.find("entry 'archive/data/1': 'fc.weight': the checksum differs"),
            std::string::npos)
      << text;
}

INSTANTIATE_TEST_SUITE_P(, TorchDamage,
                         ::testing::Values("torch/torch_state.pt", "torch/torch_state_old.pth",
                                           "libtorch/net.pt"),
                         [](const auto& test) {
                           const std::string name = test.param;
                           return name.ends_with("pth")   ? "old"
                                  : name.starts_with("l") ? "libtorch"
                                                          : "zip";
                         });

}  // namespace
}  // namespace tern
