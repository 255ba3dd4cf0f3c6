#pragma once

#include <tern/compat/torch/torch.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "error_of.h"

// For the tests of torch::data as programs for libtorch use it. The numbers and texts are libtorch
// 2.15's.

namespace compat_data {

using namespace torch::data;  // NOLINT(google-build-using-namespace): as programs do
using std::chrono::milliseconds;
using tern::error_of;

using Batches = std::vector<std::vector<int>>;
using Indices = std::vector<std::size_t>;

/// Examples are their own indices.
struct Numbers : datasets::Dataset<Numbers, int> {
  explicit Numbers(std::size_t count = 10) : count_(count) {}
  int get(std::size_t index) override { return static_cast<int>(index); }
  torch::optional<std::size_t> size() const override { return count_; }

 private:
  std::size_t count_;
};

/// The batches of an epoch.
template <class Loader>
Batches batches_of(Loader& loader) {
  Batches all;
  for (auto& batch : *loader) all.push_back(batch);
  return all;
}

}  // namespace compat_data
