#include "serialization/libtorch_archives.h"

#include <gtest/gtest.h>

#include "serialization/scratch.h"

// Files that libtorch 2.15 wrote (tests/serialization/libtorch_archives.sh), and tern's own.

namespace {

TEST(LibtorchArchives, OfLibtorch) {
  archives::Run run(tern::kGoldenFolder + "libtorch", /*writes=*/false);
  run.all();
  EXPECT_EQ(run.differences(), std::vector<std::string>());
}

TEST(LibtorchArchives, OfTern) {
  const tern::Scratch scratch;
  archives::Run(scratch.folder(), /*writes=*/true).all();
  archives::Run run(scratch.folder(), /*writes=*/false);
  run.all();
  EXPECT_EQ(run.differences(), std::vector<std::string>());
}

// Without the headers for libtorch, too.
TEST(LibtorchArchives, AsStateFiles) {
  const std::string folder = tern::kGoldenFolder + "libtorch/";
  EXPECT_EQ(tern::load_state(folder + "net.pt").keys(),
            (std::vector<std::string>{"p", "b", "body.0.weight", "body.0.bias", "body.2.weight",
                                      "body.2.bias", "body.2.running_mean", "body.2.running_var",
                                      "body.2.num_batches_tracked"}));
  tern::Tensor tensor;
  tern::load(tensor, folder + "tensor.pt");
  EXPECT_EQ(tensor.sizes(), tern::IntArrayRef({4, 3}));
  EXPECT_FALSE(tensor.requires_grad());
  const tern::State adam = tern::load_state(folder + "adam.pt");
  EXPECT_EQ(adam["param_groups"][0].get<double>("lr"), 0.1);
  EXPECT_EQ(adam["state"]["1"].get<std::int64_t>("step"), 2);
}

}  // namespace
