#include <map>
#include <vector>

#include <tern/nn/optim/averaging/averaged_model.h>

#include "nn/nn_test.h"

// Averages of weights against PyTorch's (golden/optim/averaged.json, made by
// golden/optim/averaged.py).

namespace tern {
namespace {

using optim::AveragedModel;
using optim::AveragedModelOptions;

nn::Sequential small_net() {
  nn::Sequential net(nn::Linear(2, 3), nn::BatchNorm1d(3));
  net->to(kDouble);
  return net;
}

/// Gives all tensors the numbers of averaged.py.
void set_numbers(const nn::Module& net, int update) {
  const NoGradGuard no_grad;
  std::vector<Tensor> tensors = net.parameters();
  for (const Tensor& buffer : net.buffers()) tensors.push_back(buffer);
  std::int64_t start = 0;
  for (Tensor& tensor : tensors) {
    const Tensor numbers = arange(start, start + tensor.numel(), kDouble) / (8 - update);
    tensor.copy_(numbers.view(tensor.sizes()));
    start += tensor.numel();
  }
}

TEST(AveragedModel, IsThatOfPyTorch) {
  const std::map<std::string, AveragedModelOptions> runs{
      {"swa", {}},
      {"ema", AveragedModelOptions().decay(0.75)},
      {"ema buffers", AveragedModelOptions().decay(0.75).use_buffers(true)}};
  for (const auto& [name, options] : runs) {
    SCOPED_TRACE(name);
    nn::Sequential net = small_net();
    AveragedModel average(net, options);
    for (int update = 0; update < 3; ++update) {
      set_numbers(*net, update);
      average->update_parameters(net);
    }
    const auto& golden = testing::golden("optim/averaged")[name];
    const State state = average.state_dict();
    EXPECT_EQ(state.size() + 1, golden.size());
    for (const auto& [key, value] : state) {
      // PyTorch's average of an integer buffer is not one of its inputs.
      if (key == "module.1.num_batches_tracked") continue;
      EXPECT_TRUE(value.tensor().allclose(testing::golden_tensor(golden[key]), 1e-14)) << key;
    }
    std::vector<Tensor> batches;
    for (const int factor : {1, 2, -1}) {
      batches.push_back(arange(8, kDouble).view({4, 2}) * factor);
    }
    average->eval();
    optim::update_bn(batches, average);
    const auto& norm = average->module->at<nn::BatchNorm1dImpl>(1);
    EXPECT_TRUE(stack({norm.running_mean, norm.running_var})
                    .allclose(testing::golden_tensor(golden["update_bn"]), 1e-13));
    EXPECT_EQ(norm.options.momentum(), 0.1);
    EXPECT_FALSE(norm.is_training());
  }
}

TEST(AveragedModel, LeavesTheModelAloneAndCallsTheAverage) {
  nn::Linear net(2, 1);
  AveragedModel average(net);
  average->update_parameters(net);
  const Tensor x = ones({1, 2}), before = average(x);
  EXPECT_TRUE(before.equal(net(x)));
  {
    const NoGradGuard no_grad;
    net->weight.add_(1);
  }
  EXPECT_TRUE(average(x).equal(before));
  average->update_parameters(net);
  EXPECT_TRUE(average(x).allclose(before + 1));
  EXPECT_EQ(average->n_averaged.item<int>(), 2);
  EXPECT_EQ(average->parameters().size(), 2u);
}

TEST(AveragedModel, MayLiveOnAnotherDevice) {
  nn::Linear net(2, 1);
  AveragedModel average(net, AveragedModelOptions().decay(0.5).device(Device("cuda:1")));
  average->update_parameters(net);
  average->update_parameters(net);
  EXPECT_EQ(average->module->weight.device(), Device("cuda:1"));
  EXPECT_TRUE(average->module->weight.cpu().equal(net->weight));
}

TEST(AveragedModel, RefusesWhatDoesNotFit) {
  nn::Linear net(2, 1);
  EXPECT_EQ(error_of([&] { AveragedModel(net, AveragedModelOptions().decay(1.5)); }),
            "AveragedModel: decay must be from 0 to 1, got 1.5");
  AveragedModel average(net);
  average->update_parameters(net);
  const Tensor weight = average->module->weight.clone();
  EXPECT_EQ(
      error_of([&] { average->update_parameters(nn::Sequential(net, net, nn::Linear(1, 1))); }),
      "update_parameters: the average has 2 parameters and buffers, but the model has 4; give it "
      "the "
      "model that it was made of. Parameters that were tied or untied since then need a new "
      "average");
  EXPECT_EQ(
      error_of<ShapeError>([&] { average->update_parameters(nn::Linear(3, 1)); }),
      "update_parameters: tensor 0 of the average has the sizes [1, 2], but that of the model "
      "has [1, 3]");
  EXPECT_TRUE(average->module->weight.equal(weight));
}

TEST(UpdateBn, LeavesAModelWithoutBatchNormAlone) {
  nn::Linear net(2, 1);
  std::vector<Tensor> none_fits{ones({1, 7})};
  optim::update_bn(none_fits, net);
  EXPECT_TRUE(net->is_training());
}

}  // namespace
}  // namespace tern
