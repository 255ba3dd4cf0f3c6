#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include <tern/core/ops/ops.h>
#include <tern/nn/data/data.h>
#include <tern/nn/data/transforms/image.h>

#include "nn/wrong_calls.h"

// What a newcomer calls wrongly. Each text names the class or the function, the rule and what was
// given.

namespace tern::data {
namespace {

using namespace datasets;
using namespace samplers;
using namespace transforms;

TEST(WrongCalls, OfDatasetsAndLoaders) {
  PairDataset pairs(zeros({10, 2}), zeros({10}));
  TensorDataset rows(zeros({3, 2}));
  auto loader = make_data_loader(pairs.map(Stack<>()), 2);
  expect_texts({
      {"PairDataset: expected data with at least 1 dimension, whose first counts the examples, got "
       "sizes []",
       [] { PairDataset(zeros({}), zeros({})); }},
      {"PairDataset: expected targets with at least 1 dimension, whose first counts the examples, "
       "got sizes []",
       [] { PairDataset(zeros({3}), zeros({})); }},
      {"PairDataset: data is an undefined tensor", [] { PairDataset(Tensor(), zeros({4})); }},
      {"PairDataset: index 10 is out of range for 10 examples", [&] { pairs.get(10); }},
      {"TensorDataset: index 3 is out of range for 3 examples", [&] { rows.get(3); }},
      {"TensorDataset: a tensor is an undefined tensor", [] { TensorDataset{Tensor()}; }},
      {"TensorDataset: expected at least one tensor, got none",
       [] { TensorDataset(std::vector<Tensor>{}); }},
      {"random_split: Sum of input lengths does not equal the length of the input dataset! The "
       "lengths sum up to 0, the dataset has 10 examples",
       [&] { random_split(pairs, std::vector<int>{}); }},
      {"DataLoader::load_state_dict: expected the state of a DataLoader, which has the keys "
       "'in_epoch' and 'sampler'",
       [&] { loader->load_state_dict(State()); }},
      {"DataLoader: the batch size must be positive, got -3",
       [&] { make_data_loader(pairs.map(Stack<>()), -3); }},
  });
}

TEST(WrongCalls, OfSamplers) {
  const auto minus = static_cast<std::size_t>(-1);
  expect_texts({
      {"SequentialSampler: the size must not be negative, got -1",
       [&] { (void)SequentialSampler(minus); }},
      {"RandomSampler: the size must not be negative, got -1", [] { RandomSampler(-1); }},
      {"StreamSampler: the size must not be negative, got -1", [&] { (void)StreamSampler(minus); }},
      {"PythonRandomSampler: the size must not be negative, got -1",
       [&] { (void)PythonRandomSampler(minus); }},
      {"PythonRandomSampler: num_samples should be a positive integer value, but got num_samples=0",
       [] { PythonRandomSampler(0); }},
      {"DistributedRandomSampler: the size must not be negative, got -1",
       [] { DistributedRandomSampler(-1, 2, 0); }},
      {"DistributedSequentialSampler: num_replicas must be positive, got 0",
       [] { DistributedSequentialSampler(10, 0, 0); }},
      {"PythonDistributedSampler: Invalid rank -1, rank should be in the interval [0, 1]",
       [] { PythonDistributedSampler(10, 2, -1); }},
      {"WeightedRandomSampler: weights should be a 1d sequence but given weights have shape [2, 2]",
       [] {
         WeightedRandomSampler(zeros({2, 2}), 3);
       }},
      {"BatchSampler: batch_size should be a positive integer value, but got batch_size=-1",
       [] { BatchSampler(SequentialSampler(3), -1, false); }},
  });
}

TEST(WrongCalls, OfTransforms) {
  const Tensor image = rand({3, 8, 6}), bytes = zeros({3, 2, 2}, kByte);
  Normalize<> three({0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}), one(0.5, 0.5);
  OneHot one_hot(3);
  const std::string sides = ": height and width must be from 1 to 1048576, got ";
  const std::string resize = "Resize" + sides + "-3 and -3",
                    centre = "CenterCrop" + sides + "0 and 2",
                    crop = "RandomCrop" + sides + "-1 and -1",
                    both = "RandomResizedCrop" + sides + "0 and 4";
  expect_texts({
      {"Compose: Pass at least one transform, got none", [] { Compose({}); }},
      {"Compose: expected a function, got an empty one",
       [] { Compose({std::function<Tensor(Tensor)>()}); }},
      {"Lambda: expected a function, got an empty one", [] { Lambda<Example<>>(nullptr); }},
      {"TensorLambda: expected a function, got an empty one", [] { TensorLambda<>(nullptr); }},
      {"BatchLambda: expected a function, got an empty one", [] { BatchLambda<Tensor>(nullptr); }},
      {resize.c_str(), [] { Resize(-3); }},
      {centre.c_str(),
       [] {
         CenterCrop({0, 2});
       }},
      {crop.c_str(), [] { RandomCrop(-1); }},
      {both.c_str(),
       [] {
         RandomResizedCrop({0, 4});
       }},
      {"Pad: padding must not be negative, got -1", [] { Pad(-1); }},
      {"pad: the fill of an image of bytes must be from 0 to 255, got 300",
       [&] { Pad(2, 300)(bytes); }},
      {"pad: the fill of an image of bytes must be from 0 to 255, got nan",
       [&] { Pad(2, NAN)(bytes); }},
      {"ConvertImageDtype: expected the dtype Byte or Float, got Long",
       [] { (void)ConvertImageDtype(kLong); }},
      {"Grayscale: num_output_channels must be 1 or 3, got 2", [] { Grayscale(2); }},
      {"rgb_to_grayscale: num_output_channels must be 1 or 3, got 2",
       [&] { functional::rgb_to_grayscale(image, 2); }},
      {"RandomVerticalFlip: `p` should be a floating point value in the interval [0.0, 1.0], got "
       "-0.1",
       [] { RandomVerticalFlip(-0.1); }},
      {"RandomGrayscale: `p` should be a floating point value in the interval [0.0, 1.0], got nan",
       [] { (void)RandomGrayscale(NAN); }},
      {"RandomCrop: Required crop size (10, 10) is larger than input image size (8, 6); resize the "
       "images "
       "first, or use pad_if_needed=true",
       [&] { RandomCrop(10)(image); }},
      {"OneHot: the example has no target",
       [&] {
         one_hot.apply({image, Tensor()});
       }},
      {"Normalize: std evaluated to zero, leading to division by zero",
       [] { Normalize<>(0.5, 0); }},
      {"Normalize: expected a positive standard deviation, got -1", [] { Normalize<>(0.5, -1); }},
      {"Normalize: expected a positive standard deviation, got inf",
       [] { Normalize<>(0.5, INFINITY); }},
      {"Normalize: expected a finite mean, got nan", [] { Normalize<>(NAN, 1); }},
      {"Normalize: expected as many means as standard deviations, got 2 and 3",
       [] {
         Normalize<>({0.5, 0.5}, {0.5, 0.5, 0.5});
       }},
      {"Normalize: expected as many means as standard deviations, got 0 and 0",
       [] { Normalize<>(std::vector<double>{}, std::vector<double>{}); }},
      {"Normalize: the image is an undefined tensor", [&] { one(Tensor()); }},
      {"Normalize: Expected tensor to be a tensor image of size (..., C, H, W), got sizes [4, 4]",
       [&] {
         one(rand({4, 4}));
       }},
      {"Normalize: the statistics are for 3 channels, but the image has 1, its sizes are [1, 4, 4]",
       [&] {
         three(rand({1, 4, 4}));
       }},
      {"Normalize: the statistics are for 3 channels, but the image has 4, its sizes are [4, 4, "
       "3]; channels "
       "come first: use permute({2, 0, 1})",
       [&] {
         three(rand({4, 4, 3}));
       }},
  });
  Normalize<>({0.5, 0.5, 0.5}, 0.5)(image);
  Pad(2, 300)(image);  // an image of floating numbers may have any
}

}  // namespace
}  // namespace tern::data
