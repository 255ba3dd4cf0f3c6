#include <tern/nn/data/dataset.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include <tern/core/base/error.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/data/datasets/mnist.h>
#include <tern/nn/data/datasets/tensor_dataset.h>

namespace tern::data {
namespace {

using datasets::PairDataset;
using datasets::TensorDataset;
using transforms::Normalize;
using transforms::Stack;

const std::vector<std::size_t> kIndices = {3, 0, 3};

Tensor counted(IntArrayRef sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  return arange(count, kFloat).reshape(sizes);
}

/// A dataset without gather().
class Squares : public datasets::Dataset<Squares> {
 public:
  Example<> get(std::size_t index) override {
    const auto i = static_cast<std::int64_t>(index);
    return {full({2}, i, kFloat), scalar_tensor(i * i, kLong)};
  }
  std::optional<std::size_t> size() const override { return 5; }
};

TEST(DatasetTest, BatchIsWhatGetGives) {
  Squares dataset;
  const std::vector<Example<>> batch = dataset.get_batch(kIndices);
  ASSERT_EQ(batch.size(), 3u);
  EXPECT_EQ(batch[0].target.item<std::int64_t>(), 9);
  EXPECT_EQ(batch[1].data[1].item<float>(), 0);
}

TEST(DatasetTest, MapsExamplesAndBatches) {
  auto plus_one = [](Example<> e) { return Example<>(e.data + 1, e.target); };
  auto dataset = Squares()
                     .map(transforms::Lambda<Example<>>(plus_one))
                     .map(transforms::TensorLambda<>([](Tensor t) { return t * 10; }))
                     .map(Stack<>());
  EXPECT_EQ(dataset.size(), 5u);
  const Example<> batch = dataset.get_batch(kIndices);
  EXPECT_TRUE(batch.data.equal(tensor({{40.F, 40.F}, {10.F, 10.F}, {40.F, 40.F}})));
  EXPECT_TRUE(batch.target.equal(tensor(std::vector<std::int64_t>{9, 0, 9})));
  EXPECT_EQ(dataset.dataset().size(), 5u);

  using Examples = std::vector<Example<>>;
  auto counts = Squares().map(transforms::BatchLambda<Examples, std::size_t>(
      [](const Examples& examples) { return examples.size(); }));
  EXPECT_EQ(counts.get_batch(kIndices), 3u);
}

TEST(DatasetTest, MapOfAnLvalueCopies) {
  PairDataset dataset(counted({4, 2}), counted({4}));
  auto mapped = dataset.map(Stack<>());
  EXPECT_TRUE(dataset.data().is_same(mapped.dataset().data()));
}

TEST(PairDatasetTest, GivesPairs) {
  PairDataset dataset(counted({4, 2}), counted({4}));
  EXPECT_EQ(dataset.size(), 4u);
  EXPECT_TRUE(dataset.get(2).data.equal(tensor({4.F, 5.F})));
  EXPECT_EQ(dataset.get(2).target.item<float>(), 2);
  EXPECT_THROW(dataset.get(4), IndexError);
  EXPECT_THROW(PairDataset(counted({4}), counted({3})), ShapeError);
  EXPECT_THROW(PairDataset(scalar_tensor(1.), scalar_tensor(1.)), ShapeError);
}

TEST(TensorDatasetTest, GivesSlices) {
  TensorDataset dataset(std::vector<Tensor>{tensor({1.F, 2.F}), tensor({3.F, 4.F})});
  EXPECT_EQ(dataset.size(), 2u);
  const Tensor second = dataset.get(1);
  EXPECT_TRUE(second.equal(tensor({3.F, 4.F})));
  EXPECT_THROW(TensorDataset(scalar_tensor(1.)), ShapeError);
  auto stacked = dataset.map(Stack<TensorExample>());
  const std::vector<std::size_t> twice = {1, 1};
  EXPECT_TRUE(stacked.get_batch(twice).data.equal(tensor({{3.F, 4.F}, {3.F, 4.F}})));
}

// gather() is a shortcut that must not change the result.
TEST(GatherTest, EqualsStackingOneByOne) {
  for (const std::vector<std::int64_t>& sizes :
       {std::vector<std::int64_t>{4, 2, 2, 3}, {4, 5, 2, 2, 3}}) {
    PairDataset dataset(counted(sizes), counted({4}));
    Normalize<> normalize({0.5, 1.5}, {2.0, 3.0});
    const Example<> expected =
        Stack<>().apply_batch(normalize.apply_batch(dataset.get_batch(kIndices)));
    const Example<> found = dataset.map(normalize).map(Stack<>()).get_batch(kIndices);
    EXPECT_TRUE(found.data.equal(expected.data)) << found.data.sizes() << expected.data.sizes();
    EXPECT_TRUE(found.target.equal(expected.target));
  }
}

TEST(GatherTest, BatchOwnsItsMemory) {
  PairDataset dataset(counted({4, 2}), counted({4}));
  Example<> batch = dataset.map(Stack<>()).get_batch(kIndices);
  batch.data.zero_();
  EXPECT_TRUE(dataset.data().equal(counted({4, 2})));
}

TEST(NormalizeTest, PerChannel) {
  Normalize<> normalize({1.0, 2.0}, {2.0, 4.0});
  EXPECT_TRUE(normalize(ones({2, 1, 1})).equal(tensor({0.F, -0.25F}).reshape({2, 1, 1})));
  EXPECT_TRUE(Normalize<>(0.5, 0.25)(ones({1, 2, 2})).equal(full({1, 2, 2}, 2.0, kFloat)));
}

TEST(MnistTest, ReadsFolder) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("tern_mnist_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  using namespace std::string_literals;
  std::ofstream(folder / "t10k-images-idx3-ubyte", std::ios::binary)
      << "\0\0\x08\x03\0\0\0\2\0\0\0\1\0\0\0\2\0\xff\x33\x01"s;
  std::ofstream(folder / "t10k-labels-idx1-ubyte", std::ios::binary)
      << "\0\0\x08\x01\0\0\0\2\7\x09"s;
  const datasets::MNIST test(folder.string(), datasets::MNIST::Mode::kTest);
  EXPECT_FALSE(test.is_train());
  EXPECT_TRUE(test.images().equal(tensor({0.F, 1.F, 0.2F, 1.F / 255.F}).reshape({2, 1, 1, 2})));
  EXPECT_TRUE(test.targets().equal(tensor(std::vector<std::int64_t>{7, 9})));
  const auto stacked = test.map(Stack<>());
  static_assert(std::is_same_v<decltype(stacked.dataset()), const datasets::MNIST&>);
  EXPECT_FALSE(stacked.dataset().is_train());
  EXPECT_THROW(datasets::MNIST(folder.string()), FileError);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tern::data
