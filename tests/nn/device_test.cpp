#include <cmath>

#include <tern/nn/optim/optim.h>
#include <tern/nn/utils.h>
#include <tern/tern.h>

#include "nn/nn_test.h"

// The device rules at the level of modules, losses and optimizers.

namespace tern {
namespace {

const Device kPlaces[] = {kCPU, Device(0), Device(1)};

/// A module and an input for it.
struct Layer {
  std::string name;
  std::shared_ptr<nn::Module> module;
  std::function<Tensor(const Tensor&)> run;
};

std::vector<Layer> layers() {
  std::vector<Layer> all;
  const auto add = [&](const char* name, auto holder) {
    all.push_back({name, holder.ptr(), [holder](const Tensor& x) { return holder(x); }});
  };
  add("Linear", nn::Linear(3, 4));
  add("Linear without bias", nn::Linear(nn::LinearOptions(3, 4).bias(false)));
  add("BatchNorm1d", nn::BatchNorm1d(3));
  const nn::BatchNorm1d evaluated(3);
  evaluated->eval();
  add("BatchNorm1d in eval", evaluated);
  add("LayerNorm", nn::LayerNorm(3));
  add("Sequential", nn::Sequential{nn::Linear(3, 4), nn::ReLU(), nn::Linear(4, 2)});
  return all;
}

TEST(Devices, ModulesRefuseInputsOfAnotherDevice) {
  for (const Layer& layer : layers()) {
    for (const Device home : kPlaces) {
      layer.module->to(home);
      for (const Device away : kPlaces) {
        SCOPED_TRACE(layer.name + " on " + home.str() + ", input on " + away.str());
        const Tensor x = full({2, 3}, 0.5, away);
        if (home == away) {
          EXPECT_EQ(layer.run(x).device(), home);
          continue;
        }
        const State before = copy_of(layer.module->state_dict());
        EXPECT_NE(error_of<DeviceError>([&] { layer.run(x); })
                      .find("Expected all tensors to be on the same device, but found at least two "
                            "devices, "),
                  std::string::npos);
        EXPECT_TRUE(identical(before, layer.module->state_dict()));
      }
    }
  }
}

TEST(Devices, LossesRefuseTargetsOfAnotherDevice) {
  const Tensor x = full({2, 3}, 0.5), classes = tensor({0, 2});
  const std::vector<std::pair<std::function<Tensor(const Tensor&, const Tensor&)>, Tensor>> losses =
      {{nn::MSELoss(), x},
       {nn::BCELoss(), x},
       {nn::BCEWithLogitsLoss(), x},
       {nn::NLLLoss(), classes},
       {nn::MultiLabelSoftMarginLoss(), x},
       {[](const Tensor& a, const Tensor& b) { return nn::GaussianNLLLoss()(a, b, b); }, x},
       {nn::CrossEntropyLoss(), classes},
       {nn::CrossEntropyLoss(), x}};
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const auto& loss = losses[i].first;
    const Tensor& target = losses[i].second;
    for (const Device home : kPlaces) {
      EXPECT_EQ(loss(x.to(home), target.to(home)).device(), home);
      for (const Device away : kPlaces) {
        if (home == away) continue;
        EXPECT_NE(error_of<DeviceError>([&] {
                    loss(x.to(home), target.to(away));
                  }).find("found at least two devices"),
                  std::string::npos)
            << "loss " << i;
      }
    }
  }
}

template <class Optimizer, class Options>
void expect_devices_do_not_matter(const Options& options) {
  const auto train = [&](const std::vector<Device>& places) {
    std::vector<Tensor> parameters;
    for (std::size_t i = 0; i < places.size(); ++i) {
      parameters.push_back(full({4}, static_cast<double>(i + 1), places[i]).requires_grad_());
    }
    Optimizer optimizer(parameters, options);
    const DeviceGuard guard(1);
    for (int step = 0; step < 3; ++step) {
      optimizer.zero_grad();
      for (const Tensor& parameter : parameters) parameter.pow(3).sum().backward();
      nn::utils::clip_grad_norm_(parameters, 2.0);
      optimizer.step();
    }
    EXPECT_EQ(cuda::current_device(), 1);
    return parameters;
  };
  const std::vector<Device> mixed = {kCPU, Device(0), Device(1), kCPU, Device(0)};
  const auto here = train(std::vector<Device>(mixed.size(), kCPU)), there = train(mixed);
  for (std::size_t i = 0; i < mixed.size(); ++i) {
    EXPECT_EQ(there[i].device(), mixed[i]);
    EXPECT_TRUE(close(there[i], here[i], 1e-5));
  }
}

TEST(Devices, OneOptimizerServesParametersOfSeveral) {
  expect_devices_do_not_matter<optim::SGD>(optim::SGDOptions(0.01).momentum(0.9));
  expect_devices_do_not_matter<optim::Adam>(optim::AdamOptions(0.1));
  expect_devices_do_not_matter<optim::AdamW>(optim::AdamWOptions(0.1));
}

TEST(Devices, GradientsLiveWithTheirTensor) {
  const Tensor w = ones({2}, device(1).requires_grad(true));
  EXPECT_NE(error_of<DeviceError>([&] { w.set_grad(ones({2})); })
                .find("attempting to assign a gradient with device type 'cpu' to a tensor with "
                      "device type 'cuda:1'"),
            std::string::npos);
  EXPECT_THROW((w * 2).backward(ones({2})), Error);
  EXPECT_FALSE(w.grad().defined());
  // A moved tensor returns its gradient to the device of the leaf.
  (w.to("cuda:0") * w.cpu().to("cuda:0")).sum().backward();
  EXPECT_EQ(w.grad().device(), Device("cuda:1"));
  EXPECT_TRUE(same_bits(w.grad(), full({2}, 2.0)));
}

TEST(Devices, LayersAreMadeWhereTheirOptionsSay) {
  const nn::Linear net(nn::LinearOptions(2, 3).device("cuda:1").dtype(kDouble));
  for (const Tensor& parameter : net->parameters()) {
    EXPECT_EQ(parameter.device(), Device("cuda:1"));
    EXPECT_EQ(parameter.dtype(), kDouble);
    EXPECT_TRUE(parameter.is_leaf() && parameter.requires_grad());
    const double bound = 1 / std::sqrt(2.0);
    EXPECT_TRUE(((parameter >= -bound) & (parameter <= bound)).all().item<bool>());
  }
  EXPECT_NE(net->weight[0][0].item<double>(), net->weight[1][0].item<double>());
  EXPECT_EQ(net(ones({1, 2}, net->weight.options())).device(), Device("cuda:1"));
  EXPECT_THROW(nn::Linear(nn::LinearOptions(2, 3).device("cuda:5")), DeviceError);
}

}  // namespace
}  // namespace tern
