#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include <tern/core/ops/ops.h>
#include <tern/nn/data/data.h>
#include <tern/nn/data/files.h>

#include "error_of.h"

// What a newcomer does wrong, and the cure that the error tells.

namespace tern::data {
namespace {

template <class Fn>
void expect_cure(const char* cure, const Fn& fn) {
  const std::string text = error_of(fn);
  EXPECT_NE(text.find(cure), std::string::npos) << "'" << text << "' lacks '" << cure << "'";
}

TEST(NewcomerTest, EveryMistakeIsToldItsCure) {
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("tern_newcomer_" + std::to_string(::getpid())))
          .string();
  std::filesystem::create_directories(folder);
  const datasets::PairDataset pairs(arange(8, kFloat), arange(8));
  const Tensor picture = zeros({3, 8, 6}, kByte);
  using transforms::Stack;

  // Pictures of different sizes in one batch.
  expect_cure("transforms::Resize", [] {
    Stack<>().apply_batch({{ones({3, 4}), ones({})}, {ones({3, 5}), ones({})}});
  });
  // Bytes where numbers from 0 to 1 are meant.
  expect_cure("transforms::ConvertImageDtype()",
              [&] { transforms::Normalize<>(0.5, 0.5)(picture); });
  // Channels last, as in other libraries.
  expect_cure("use permute({2, 0, 1})", [] {
    transforms::functional::adjust_brightness(zeros({8, 6, 3}, kByte), 1.5);
  });
  // Transforms of pictures behind Stack.
  expect_cure("before Stack", [&] { transforms::CenterCrop(4)(picture.unsqueeze(0)); });
  // A piece that is larger than the picture.
  expect_cure("use pad_if_needed=true", [&] { transforms::RandomCrop(7)(picture); });
  // A sampler that was made for another dataset.
  expect_cure("make the sampler for as many examples as the dataset has", [&] {
    make_data_loader(pairs, samplers::WeightedRandomSampler(std::vector<double>(99, 1.0), 50), 50)
        ->begin();
  });
  // More samples than there are, each at most once.
  expect_cure("replacement=true", [] { samplers::WeightedRandomSampler({1, 2}, 3, false); });
  // Parts that are not the whole.
  expect_cure("the dataset has 8 examples", [&] { random_split(pairs, {4, 5}); });
  // A stream with a sampler of indices has no size.
  expect_cure("Stream", [] { detail::size_for_sampler(std::nullopt); });
  // An iterator that outlives its epoch.
  expect_cure("a loader has one epoch at a time", [&] {
    auto loader = make_data_loader(pairs, 2);
    auto old = loader->begin();
    loader->begin();
    ++old;
  });
  // A batch size that came out negative.
  expect_cure("must be positive, got -4",
              [&] { make_data_loader(pairs, DataLoaderOptions().batch_size(-4)); });
  // A file with a header.
  std::ofstream(folder + "/a.csv") << "height,weight\n1,2\n";
  expect_cure("CsvOptions().header(true)", [&] { read_csv(folder + "/a.csv"); });
  // Pictures without folders of classes.
  expect_cure("Each class has a folder of its own", [&] { datasets::ImageFolder images(folder); });
  // The archive was not unpacked.
  expect_cure("unpack the binary version", [&] { datasets::CIFAR10 images(folder); });
  // A file that only looks like a picture.
  expect_cure("is neither a JPEG nor a PNG file", [&] { read_image(folder + "/a.csv"); });
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tern::data
