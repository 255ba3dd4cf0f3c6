#include "nn_test.h"

#include <thread>
#include <vector>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/tensor/generator.h>
#include <tern/nn/optim/adam.h>

// Training on several threads gives the same bits for the same thread count and, because products
// and reductions are split by size alone, also for other counts.

namespace tern {
namespace {

class Threads : public ::testing::Test {
 protected:
  void TearDown() override { set_num_threads(count_); }

 private:
  int count_ = get_num_threads();
};

/// The parameters of a small network after three steps from a seed.
State trained() {
  Generator generator;
  generator.manual_seed(3);
  nn::Sequential net{nn::Linear(200, 300), nn::Sigmoid(), nn::Linear(300, 7)};
  for (Tensor& parameter : net->parameters()) {
    const NoGradGuard no_grad;
    parameter.uniform_(-0.1, 0.1, generator);
  }
  optim::Adam adam(net->parameters(), optim::AdamOptions(1e-2));
  const Tensor x = rand({257, 200}, generator), y = rand({257, 7}, generator);
  for (int i = 0; i < 3; ++i) {
    adam.zero_grad();
    mse_loss(net->forward(x), y).backward();
    adam.step();
  }
  State copy;
  for (const auto& [name, tensor] : net->state_dict()) copy.insert(name, tensor.tensor().clone());
  return copy;
}

TEST_F(Threads, TrainingGivesTheSameBitsForEveryCount) {
  set_num_threads(1);
  const State one = trained();
  for (const int count : {1, 2, 2, 3, 5}) {
    set_num_threads(count);
    EXPECT_TRUE(identical(trained(), one)) << count << " threads";
  }
}

TEST_F(Threads, SeveralCallersTrainAtOnce) {
  set_num_threads(2);
  const State alone = trained();
  std::vector<State> results(3);
  std::vector<std::thread> callers;
  callers.reserve(results.size());
  for (State& result : results) callers.emplace_back([&result] { result = trained(); });
  for (std::thread& caller : callers) caller.join();
  for (const State& result : results) EXPECT_TRUE(identical(result, alone));
}

}  // namespace
}  // namespace tern
