#include <gtest/gtest.h>
#include <malloc.h>

#include <utility>

#include <tern/core/kernels/backend.h>
#include <tern/tern.h>

#include "sanitizer.h"

// Memory of a training step is cached for the next step: after a few steps no more memory is
// requested from the system.

namespace tern {
namespace {

TEST(SteadyStep, AsksTheSystemForNoMemory) {
  if (testing::has_sanitizer())
    GTEST_SKIP() << "sanitizers switch off the reuse of freed memory, which this test counts";
  const int threads = get_num_threads();
  set_num_threads(1);  // a worker's first task, at any time, would allocate memory
  nn::Sequential model(nn::Linear(784, 100), nn::ReLU(), nn::Linear(100, 784), nn::Sigmoid());
  optim::Adam adam(model->parameters());
  const Tensor x = rand({64, 784});
  const auto step = [&] {
    adam.zero_grad();
    binary_cross_entropy(model->forward(x), x).backward();
    adam.step();
  };
  // Requests for the memory of tensors, and the bytes of the heap.
  const auto taken = [] {
    const auto requests = kernels::backend_of(kCPU).allocator().stats(0).system_requests;
    return std::pair(requests, mallinfo2().arena + mallinfo2().hblkhd);
  };
  for (int i = 0; i < 30; ++i) step();
  // A thread of an earlier test may end, and change the heap, in one of three rounds. Steps that
  // ask for memory do so in each.
  auto before = taken();
  for (int round = 0; round < 3; ++round) {
    before = taken();
    for (int i = 0; i < 50; ++i) step();
    if (taken() == before) break;
  }
  EXPECT_EQ(taken(), before);
  set_num_threads(threads);
}

}  // namespace
}  // namespace tern
