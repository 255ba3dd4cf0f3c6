#include <gtest/gtest.h>
#include <malloc.h>

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
  const auto requests = [] {
    return kernels::backend_of(kCPU).allocator().stats(0).system_requests;
  };
  for (int i = 0; i < 30; ++i) step();
  const std::int64_t tensors_before = requests();
  const std::size_t heap_before = mallinfo2().arena + mallinfo2().hblkhd;
  for (int i = 0; i < 50; ++i) step();
  EXPECT_EQ(requests(), tensors_before);
  EXPECT_EQ(mallinfo2().arena + mallinfo2().hblkhd, heap_before);
  set_num_threads(threads);
}

}  // namespace
}  // namespace tern
