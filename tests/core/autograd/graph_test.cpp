#include <pthread.h>

#include <thread>

#include "core/autograd/autograd_test.h"
#include "sanitizer.h"

// Long graphs and several threads.

namespace tern::testing {
namespace {

// Builds a chain of `count` nodes, runs backward through it and frees it.
void run_chain(int count) {
  const Tensor x = leaf(ones({}, kDouble));
  Tensor y = x;
  for (int i = 0; i < count; ++i) y = y * 1.0;
  y.backward();
  EXPECT_EQ(x.grad().item<double>(), 1);
}

TEST(Graph, OfAMillionNodesNeedsNoStack) {
  // A frame for each node would fill the stack of 8 MB with fewer, and under a sanitizer much
  // sooner.
  const int count = has_sanitizer() ? 200'000 : 1'000'000;
  run_chain(count);
  const Tensor x = leaf(ones({}));
  Tensor unused = x;
  for (int i = 0; i < count; ++i) unused = unused + 1;
  unused.reset();  // without a backward pass
}

TEST(Graph, OfManyNodesFitsASmallStack) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 256 << 10), 0);
  pthread_t thread;
  const auto body = [](void*) -> void* {
    run_chain(100'000);
    Tensor base = leaf(ones({2}, kDouble)) * 1;  // in place, through views, with saved tensors
    for (int i = 0; i < 10'000; ++i) {
      base[i % 2].mul_(1.0);
      base.mul_(base.detach().clone());
    }
    base.sum().backward();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, body, nullptr), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

void in_threads(int count, const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) threads.emplace_back(body, t);
  for (std::thread& thread : threads) thread.join();
}

TEST(Threads, AccumulateIntoSharedLeaves) {
  const Tensor w = leaf(arange(1, 9, kDouble)), b = leaf(zeros({}, kDouble));
  constexpr int kThreads = 4, kRounds = 50;
  in_threads(kThreads, [&](int t) {
    for (int i = 0; i < kRounds; ++i) (w * w * (t + 1) + b).sum().backward();
  });
  // Whole numbers: the sum does not depend on the order.
  TERN_EXPECT_EQUAL(w.grad(), w.detach() * (2. * kRounds * (1 + 2 + 3 + 4)));
  EXPECT_EQ(b.grad().item<double>(), 8. * kRounds * kThreads);
}

TEST(Threads, RunOneGraphTogether) {
  const Tensor x = leaf(arange(1, 9, kDouble));
  const Tensor y = (exp(x * 0) * x * x).sum();
  in_threads(4, [&](int) {
    for (int i = 0; i < 20; ++i) y.backward({}, /*retain_graph=*/true);
  });
  TERN_EXPECT_EQUAL(x.grad(), x.detach() * (2. * 80));
}

TEST(Threads, MayContinueAGraphOfAnother) {
  const Tensor x = leaf(tensor({2.}, kDouble));
  Tensor y = x;
  for (int i = 0; i < 100; ++i) y = y * 1.0;
  in_threads(1, [&](int) {
    y = y * x;  // a node of a thread whose own sequence number is low
    y.sum().backward();
    y.reset();
  });
  TERN_EXPECT_EQUAL(x.grad(), tensor({4.}, kDouble));
}

TEST(Threads, HaveTheirOwnGradMode) {
  const NoGradGuard no_grad;
  bool inside = false;
  in_threads(1, [&](int) {
    inside = GradMode::is_enabled();
    GradMode::set_enabled(true);
  });
  EXPECT_TRUE(inside);
  EXPECT_FALSE(GradMode::is_enabled());
}

}  // namespace
}  // namespace tern::testing
