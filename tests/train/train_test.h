#pragma once

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tern/train/train.h>

#include "error_of.h"
#include "serialization/scratch.h"

// A small training for the tests of fit(): three classes of points, a network with dropout.

namespace tern {

/// Returns the same 50 points of 4 numbers, of three classes, every time.
inline data::datasets::PairDataset points(std::int64_t count = 50) {
  Generator generator;
  const Tensor x = randn({count, 4}, generator);
  return {x, x.slice(1, 0, 3).argmax(1)};
}

/// Returns a shuffling loader of points(); 7 batches of 8 or fewer.
inline auto points_loader(data::DataLoaderOptions options = 8) {
  return data::make_data_loader(points().map(data::transforms::Stack<>()), options);
}

/// Returns a loader of points() in order.
inline auto ordered_loader(std::size_t batch_size = 8) {
  return data::make_data_loader<data::samplers::SequentialSampler>(
      points().map(data::transforms::Stack<>()), batch_size);
}

inline nn::Sequential points_net() {
  return nn::Sequential{nn::Linear(4, 16), nn::BatchNorm1d(16), nn::ReLU(), nn::Dropout(0.3),
                        nn::Linear(16, 3)};
}

/// Calls a function after each step.
struct AfterStep : train::Callback {
  explicit AfterStep(std::function<void(train::Run&)> its_function)
      : function(std::move(its_function)) {}
  void on_step_end(train::Run& run) override { function(run); }
  std::function<void(train::Run&)> function;
};

}  // namespace tern
