#include <tern/nn/data/data.h>

#include <map>
#include <tuple>

#include "nn/nn_test.h"

// Batches in pinned memory, on simulated devices.

namespace tern::data {
namespace {

struct Own {
  Tensor tensor;
  Own pin_memory() const { return {tensor.pin_memory()}; }
};

TEST(PinMemory, ReachesTheTensorsOfEveryKindOfBatch) {
  const Tensor t = ones({2});
  EXPECT_TRUE(pin_memory(t).is_pinned());
  EXPECT_FALSE(t.is_pinned());
  EXPECT_FALSE(pin_memory(Tensor()).defined());
  const auto example = pin_memory(Example<>(t, t));
  EXPECT_TRUE(example.data.is_pinned() && example.target.is_pinned());
  EXPECT_TRUE(pin_memory(TensorExample(t)).data.is_pinned());
  EXPECT_EQ(pin_memory(Example<Tensor, int>(t, 3)).target, 3);
  EXPECT_TRUE(pin_memory(std::vector<Example<>>{{t, t}, {t, t}})[1].target.is_pinned());
  EXPECT_TRUE(std::get<1>(pin_memory(std::make_tuple(1, t))).is_pinned());
  EXPECT_TRUE(pin_memory(std::make_pair(t, std::string("name"))).first.is_pinned());
  EXPECT_TRUE(pin_memory(std::optional<Tensor>(t))->is_pinned());
  EXPECT_TRUE(pin_memory(std::map<std::string, Tensor>{{"x", t}})["x"].is_pinned());
  EXPECT_TRUE(pin_memory(Own{t}).tensor.is_pinned());
  EXPECT_EQ(pin_memory(std::vector<bool>{true, false}), (std::vector<bool>{true, false}));
}

TEST(PinMemory, IsAnOptionOfTheLoader) {
  const auto dataset = datasets::TensorDataset(std::vector<Tensor>{zeros({}), ones({})})
                           .map(transforms::Stack<TensorExample>());
  for (const bool pins : {true, false}) {
    for (const std::size_t workers : {0u, 2u}) {
      auto loader = make_data_loader<samplers::SequentialSampler>(
          dataset, DataLoaderOptions(2).workers(workers).pin_memory(pins));
      for (TensorExample& batch : *loader) {
        EXPECT_EQ(batch.data.is_pinned(), pins);
        EXPECT_EQ(batch.data.to("cuda:1", /*non_blocking=*/true).cpu()[1].item<float>(), 1);
      }
    }
  }
}

TEST(PinMemoryDeathTest, WithoutCudaTheLoaderLeavesBatchesAsTheyAre) {
  EXPECT_EXIT(
      {
        setenv("TERN_CUDA", "0", 1);
        auto loader = make_data_loader<samplers::SequentialSampler>(
            datasets::TensorDataset(std::vector<Tensor>{ones({})}),
            DataLoaderOptions(1).pin_memory(true));
        bool pinned = false;
        for (const auto& batch : *loader) pinned |= batch[0].data.is_pinned();
        std::exit(pinned ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tern::data
