#include <tern/core/tensor/detail/allocator.h>
#include <tern/nn/optim/optim.h>

#include "nn/nn_test.h"

// Moving modules, on two simulated CUDA devices.

namespace tern {
namespace {

/// A module with every kind of registered entry, and with members that are not registered.
struct ZooImpl : nn::Module {
  ZooImpl() {
    list = register_module("list", nn::ModuleList(nn::Linear(2, 2), nn::Linear(2, 2)));
    dict = register_module(
        "dict", nn::ModuleDict(nn::ModuleDictImpl::Pairs{{"head", nn::Linear(2, 1).ptr()}}));
    parameters = register_module("parameters", nn::ParameterList(ones({2}).requires_grad_()));
    named = register_module("named", nn::ParameterDict());
    named->insert("gain", ones({2}).requires_grad_());
    sequence = register_module("sequence", nn::Sequential{nn::Linear(2, 2), nn::BatchNorm1d(2)});
    mask = register_buffer("mask", arange(4, kFloat).view({2, 2}));  // a view
    tied = register_parameter("tied", list->at<nn::LinearImpl>(0).weight);
  }
  nn::ModuleList list{nullptr};
  nn::ModuleDict dict{nullptr};
  nn::ParameterList parameters{nullptr};
  nn::ParameterDict named{nullptr};
  nn::Sequential sequence{nullptr};
  Tensor mask, tied;
  Tensor plain = ones({2});
};
TERN_MODULE(Zoo);

std::vector<Tensor> tensors_of(const nn::Module& module) {
  std::vector<Tensor> all = module.parameters();
  for (const Tensor& buffer : module.buffers()) all.push_back(buffer);
  return all;
}

TEST(ModuleTo, MovesAllThatIsRegisteredInPlace) {
  const Zoo zoo;
  const std::vector<Tensor> before = tensors_of(*zoo);
  const State values = copy_of(zoo->state_dict());
  EXPECT_EQ(&zoo->to("cuda:1"), zoo.get());
  const std::vector<Tensor> after = tensors_of(*zoo);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_TRUE(before[i].is_same(after[i]));
    EXPECT_EQ(after[i].device(), Device("cuda:1"));
  }
  EXPECT_EQ(zoo->mask.device(), Device("cuda:1"));
  EXPECT_EQ(zoo->plain.device(), Device("cpu"));
  EXPECT_TRUE(zoo->tied.is_same(zoo->list->at<nn::LinearImpl>(0).weight));
  EXPECT_TRUE(identical(values, zoo->state_dict()));
  zoo->cpu();
  EXPECT_TRUE(identical(values, zoo->state_dict()));
  EXPECT_EQ(zoo->mask.device(), Device("cpu"));
}

TEST(ModuleTo, KnowsEveryWayToNameADevice) {
  const nn::Linear net(1, 1);
  EXPECT_EQ(net.to(kCUDA)->weight.device(), Device("cuda:0"));
  EXPECT_EQ(net.to(1)->weight.device(), Device("cuda:1"));
  EXPECT_EQ(net.cpu()->weight.device(), Device("cpu"));
  EXPECT_EQ(net.cuda()->weight.device(), Device("cuda:0"));
  EXPECT_EQ(net.cuda(1)->weight.device(), Device("cuda:1"));
  EXPECT_EQ(net.cuda(Device("cuda:0"))->weight.device(), Device("cuda:0"));
  EXPECT_EQ(net.to(Device("cuda:1"), kDouble, /*non_blocking=*/true)->weight.dtype(), kDouble);
  EXPECT_EQ(error_of<DeviceError>([&] { net.cuda("cpu"); }).find("Invalid device, must be cuda"),
            0u);
  const auto fresh = nn::Linear(3, 1).to("cuda:1");
  static_assert(std::is_same_v<decltype(fresh), const nn::Linear>);
  EXPECT_EQ(fresh->bias.device(), Device("cuda:1"));
}

TEST(ModuleTo, CastsFloatingTensorsOnly) {
  const SmallNet net;
  net.to(kDouble);
  for (const Tensor& parameter : net->parameters()) EXPECT_EQ(parameter.dtype(), kDouble);
  EXPECT_EQ(net->norm->running_mean.dtype(), kDouble);
  EXPECT_EQ(net->norm->num_batches_tracked.dtype(), kLong);
  EXPECT_EQ(net->step.dtype(), kLong);
  EXPECT_EQ(error_of<DTypeError>([&] { net.to(kLong); }),
            "nn.Module.to only accepts floating point or complex dtypes, but got desired "
            "dtype=torch.int64");
  EXPECT_EQ(net->scale.dtype(), kDouble);
}

TEST(ModuleTo, TakesGradientsAlong) {
  const nn::Linear net(2, 1);
  net(ones({1, 2})).sum().backward();
  const Tensor grad = net->weight.grad();
  net.to(Device("cuda:0"), kDouble);
  EXPECT_EQ(net->weight.grad().device(), Device("cuda:0"));
  EXPECT_EQ(net->weight.grad().dtype(), kDouble);
  EXPECT_TRUE(net->weight.grad().is_same(grad));
  net(ones({1, 2}, net->weight.options())).sum().backward();
  EXPECT_TRUE(same_bits(net->weight.grad(), full({1, 2}, 2.0, kDouble)));
}

TEST(ModuleTo, SkipsWhatIsNotThere) {
  const nn::Linear net(nn::LinearOptions(2, 1).bias(false));
  EXPECT_EQ(net.to("cuda:0")->weight.device(), Device("cuda:0"));
  EXPECT_FALSE(net->bias.defined());
}

TEST(ModuleTo, ChangesNothingWhenItFails) {
  const Zoo zoo;
  zoo->sequence->forward(ones({3, 2})).sum().backward();
  const State values = copy_of(zoo->state_dict());
  for (std::int64_t n = 1;; ++n) {
    testing::fail_allocation(n);
    bool failed = false;
    try {
      zoo->to(Device("cuda:1"), kDouble);
    } catch (const OutOfMemoryError&) {
      failed = true;
    }
    testing::fail_allocation(0);
    if (!failed) {
      EXPECT_GT(n, 10);
      break;
    }
    for (const Tensor& tensor : tensors_of(*zoo)) ASSERT_TRUE(tensor.is_cpu()) << n;
    ASSERT_TRUE(identical(values, zoo->state_dict())) << n;
    ASSERT_TRUE(zoo->sequence->parameters()[0].grad().is_cpu()) << n;
  }
  EXPECT_THROW(zoo->to("cuda:7"), DeviceError);
  EXPECT_EQ(zoo->mask.device(), Device("cuda:1"));
}

TEST(ModuleTo, KeepsAnOptimizerThatWasMadeBefore) {
  const auto train = [](const char* device) {
    manual_seed(1);
    const nn::Linear net(3, 1);
    optim::Adam optimizer(net->parameters(), 0.1);
    for (int step = 0; step < 4; ++step) {
      if (step == 2) net.to(device);  // in the middle, so that there is state to move
      const Tensor x = full({2, 3}, step + 1.0).to(net->weight.device());
      optimizer.zero_grad();
      net(x).square().mean().backward();
      optimizer.step();
    }
    return net->state_dict();
  };
  const State there = train("cuda:1"), here = train("cpu");
  EXPECT_EQ(there["weight"].tensor().device(), Device("cuda:1"));
  EXPECT_TRUE(close(there["weight"], here["weight"]));
  EXPECT_TRUE(close(there["bias"], here["bias"]));
}

TEST(ModuleTo, IsWhatAMixedDeviceErrorAsksFor) {
  struct ForgetfulImpl : nn::Module {
    Tensor forward(const Tensor& x) { return fc(x) + offset; }
    nn::Linear fc = register_module("fc", nn::Linear(2, 2));
    Tensor offset = ones({2});
  };
  const nn::ModuleHolder<ForgetfulImpl> net;
  net->to("cuda:1");
  const std::string text = error_of<DeviceError>([&] { net(ones({1, 2}, Device("cuda:1"))); });
  EXPECT_NE(text.find("Expected all tensors to be on the same device"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  in module Forgetful"), std::string::npos) << text;
  EXPECT_NE(text.find("register_buffer"), std::string::npos) << text;
  const std::string inner = error_of<DeviceError>([&] { net(ones({1, 2})); });
  EXPECT_NE(inner.find("cpu and cuda:1! (when checking argument for argument mat1 in method "
                       "wrapper_CUDA_addmm)\n  (inputs are moved with to(device); a tensor that is "
                       "a plain member does not move with its "
                       "module, one given to register_buffer does)\n  in module 'fc' (Linear)"),
            std::string::npos)
      << inner;
}

}  // namespace
}  // namespace tern
