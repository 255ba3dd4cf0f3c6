#include <tern/nn/parallel/data_parallel.h>

#include <atomic>

#include <gtest/gtest.h>

#include <tern/tern.h>

// nn::DataParallel on two simulated devices.

namespace tern {
namespace {

struct TwoHeadsImpl : nn::Cloneable<TwoHeadsImpl> {
  TwoHeadsImpl() { reset(); }
  void reset() override {
    first = register_module("first", nn::Linear(6, 5));
    mean = register_module("mean", nn::Linear(5, 2));
    spread = register_module("spread", nn::Linear(5, 2));
    calls = register_buffer("calls", zeros({1}));
  }
  std::tuple<Tensor, Tensor> forward(const Tensor& x) {
    calls.add_(1);
    const Tensor h = relu(first(x));
    return {mean(h), spread(h)};
  }
  nn::Linear first{nullptr}, mean{nullptr}, spread{nullptr};
  Tensor calls;
};
TERN_MODULE(TwoHeads);

Tensor loss_of(const std::tuple<Tensor, Tensor>& heads) {
  return std::get<0>(heads).square().sum() + std::get<1>(heads).exp().sum();
}

TEST(DataParallel, StepsLikeOneDevice) {
  manual_seed(3);
  TwoHeads net;
  TwoHeads alone = net.clone();
  const Tensor x = randn({7, 6});
  net.to("cuda:0");
  nn::DataParallel parallel(net, {0, 1});
  optim::Adam optimizer(net->parameters(), optim::AdamOptions(1e-2));
  optim::Adam reference(alone->parameters(), optim::AdamOptions(1e-2));
  for (int step = 0; step < 4; ++step) {
    optimizer.zero_grad();
    reference.zero_grad();
    const auto heads = parallel(x);
    EXPECT_EQ(std::get<0>(heads).device(), Device("cuda:0"));
    EXPECT_EQ(std::get<0>(heads).sizes(), IntArrayRef({7, 2}));
    loss_of(heads).backward();
    loss_of(alone(x)).backward();
    const auto want = alone->parameters();
    for (std::size_t i = 0; i < want.size(); ++i) {
      const Tensor grad = net->parameters()[i].grad();
      ASSERT_EQ(grad.device(), Device("cuda:0"));
      EXPECT_TRUE(allclose(grad.cpu(), want[i].grad(), 1e-5, 1e-5));
    }
    optimizer.step();
    reference.step();
  }
  // The module's buffers come from the first device.
  EXPECT_EQ(net->calls.item<float>(), 4);
}

TEST(DataParallel, EarlierGraphsStayWhole) {
  nn::Linear net(3, 2);
  net.to("cuda:0");
  nn::DataParallel parallel(net, {0, 1});
  const Tensor x = ones({4, 3}, Device("cuda:0")).requires_grad_();
  const Tensor first = parallel(x).square().sum();
  const Tensor second = parallel(x * 2).square().sum();
  (first + second).backward();
  const Tensor got = x.grad().clone();
  x.mutable_grad().reset();
  (net(x).square().sum() + net(x * 2).square().sum()).backward();
  EXPECT_TRUE(allclose(got.cpu(), x.grad().cpu()));
}

TEST(DataParallel, FewerRowsThanDevices) {
  nn::Linear net(3, 2);
  net.to("cuda:0");
  nn::DataParallel parallel(net);
  EXPECT_EQ(parallel(ones({1, 3})).sizes(), IntArrayRef({1, 2}));
  EXPECT_EQ(parallel->module, net.ptr());
}

TEST(DataParallel, OneDevice) {
  nn::Linear net(3, 2);
  net.to("cuda:1");
  nn::DataParallel parallel(net, {1});
  const Tensor x = ones({4, 3});
  EXPECT_EQ(parallel(x).device(), Device("cuda:1"));
  EXPECT_TRUE(allclose(parallel(x).cpu(), net(x.cuda(1)).cpu()));
  net.to("cuda:0");
  EXPECT_THROW(parallel(x), DeviceError);
}

TEST(DataParallel, ChoosesDimensionAndOutput) {
  nn::ReLU net;
  nn::DataParallel parallel(net, {"cuda:0", "cuda:1"}, Device("cuda:1"), 1);
  const Tensor x = arange(-6, 6, kFloat).reshape({2, 6});
  const Tensor y = parallel(x);
  EXPECT_EQ(y.device(), Device("cuda:1"));
  EXPECT_TRUE(equal(y.cpu(), relu(x)));
}

TEST(DataParallel, FollowsModes) {
  nn::Sequential net(nn::Linear(4, 4), nn::Dropout(0.5));
  net.to("cuda:0");
  nn::DataParallel parallel(net, {0, 1});
  const Tensor x = ones({6, 4}, Device("cuda:0"));
  parallel(x);
  net->eval();
  EXPECT_TRUE(allclose(parallel(x).cpu(), net->forward(x).cpu()));
}

/// Counts in one buffer and reads another buffer, which is tied to the first after reset().
struct CounterImpl : nn::Cloneable<CounterImpl> {
  CounterImpl() { reset(); }
  void reset() override {
    written = register_buffer("written", zeros({1}));
    read = register_buffer("read", zeros({1}));
    weight = register_parameter("weight", full({1}, 2.0));
  }
  Tensor forward(const Tensor& x) {
    written.add_(1);
    records += GradMode::is_enabled() ? 1 : 0;
    return x * weight + read;
  }
  Tensor written, read, weight;
  static inline std::atomic<int> records{0};
};
TERN_MODULE(Counter);

// Tensors of the module that share elements share them in each copy, too.
TEST(DataParallel, CopiesKeepTies) {
  Counter net;
  net.to("cuda:0");
  net->replace_buffer("read", net->written);
  net->read = net->written;
  nn::DataParallel parallel(net, {0, 1});
  for (int i = 1; i < 3; ++i) {
    EXPECT_TRUE(equal(parallel(ones({4})).cpu(), full({4}, 2.0 + i)));
  }
}

TEST(DataParallel, ThreadsHaveTheGradModeOfTheCaller) {
  Counter net;
  net.to("cuda:0");
  nn::DataParallel parallel(net, {0, 1});
  const auto records = [&] {
    CounterImpl::records = 0;
    parallel(ones({4}));
    return CounterImpl::records.load();
  };
  EXPECT_EQ(records(), 2);
  {
    const NoGradGuard no_grad;
    EXPECT_EQ(records(), 0);
    const AutoGradMode again(true);
    EXPECT_EQ(records(), 2);
  }
  EXPECT_TRUE(GradMode::is_enabled());
}

TEST(DataParallel, BuffersThatRequireAGradientGetAllOfIt) {
  Counter net;
  net.to("cuda:0");
  net->read.requires_grad_();
  nn::DataParallel parallel(net, {0, 1});
  for (int i = 1; i < 3; ++i) {
    parallel(ones({4})).sum().backward();
    EXPECT_EQ(net->read.grad().item<int>(), 4 * i);
    EXPECT_EQ(net->weight.grad().item<int>(), 4 * i);
  }
}

TEST(DataParallel, StateHasTheModulesPrefix) {
  nn::Linear net(3, 2);
  net.to("cuda:0");
  const nn::DataParallel parallel(net);
  EXPECT_EQ(parallel->state_dict().keys(),
            (std::vector<std::string>{"module.weight", "module.bias"}));
}

TEST(DataParallel, OneCall) {
  nn::Linear net(3, 2);
  net.to("cuda:0");
  const Tensor x = ones({4, 3});
  const Tensor y = nn::parallel::data_parallel(net, x);
  EXPECT_TRUE(allclose(y.cpu(), net(x.cuda()).cpu()));
}

TEST(DataParallel, Errors) {
  nn::Linear net(3, 2);
  nn::DataParallel parallel(net, {0, 1});
  try {
    parallel(ones({4, 3}));
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_STREQ(error.what(),
                 "module must have its parameters and buffers on device cuda:0 (device_ids[0]) but "
                 "found one of them on device: cpu ('weight')\n  in module "
                 "DataParallelImpl<tern::nn::LinearImpl>");
  }
  EXPECT_THROW(nn::DataParallel(net, {0, 0}), Error);
  EXPECT_THROW(nn::DataParallel(net, {0, 7}), DeviceError);
  EXPECT_THROW(nn::DataParallel(net, {"cpu", "cuda:0"}), DeviceError);
  net.to("cuda:0");
  EXPECT_THROW(parallel(ones({})), ShapeError);
  EXPECT_THROW(parallel(ones({4, 5})), ShapeError);  // thrown in a worker thread
}

}  // namespace
}  // namespace tern
