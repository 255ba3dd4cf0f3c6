#include <functional>
#include <map>

#include <tern/core/autograd/gradcheck.h>

#include "nn/nn_test.h"

namespace tern {
namespace {

Tensor golden_pair(const std::string& name) {
  return testing::golden_tensor(testing::golden("modules/pairs").at(name));
}

/// A layer of two inputs with the options that golden/modules/pairs.py gives it, and how libtorch
/// prints it.
struct PairLayer {
  std::shared_ptr<nn::Module> module;
  std::function<Tensor(const Tensor&, const Tensor&)> forward;
  std::string prints;
};

template <class Holder>
PairLayer pair_layer(const Holder& holder, const std::string& prints) {
  return {holder.ptr(), [holder](const Tensor& a, const Tensor& b) { return holder(a, b); },
          "tern::nn::" + prints};
}

std::map<std::string, PairLayer> pair_layers() {
  using namespace nn;
  return {
      {"Bilinear", pair_layer(Bilinear(BilinearOptions(3, 2, 4).dtype(kDouble)),
                              "Bilinear(in1_features=3, in2_features=2, out_features=4, "
                              "bias=true)")},
      {"Bilinear without bias",
       pair_layer(Bilinear(BilinearOptions(3, 2, 4).bias(false).dtype(kDouble)),
                  "Bilinear(in1_features=3, in2_features=2, out_features=4, bias=false)")},
      {"CosineSimilarity", pair_layer(CosineSimilarity(), "CosineSimilarity(dim=1, eps=1e-08)")},
      {"CosineSimilarity dim",
       pair_layer(CosineSimilarity(CosineSimilarityOptions().dim(0).eps(1.5)),
                  "CosineSimilarity(dim=0, eps=1.5)")},
      {"PairwiseDistance",
       pair_layer(PairwiseDistance(), "PairwiseDistance(p=2, eps=1e-06, keepdim=false)")},
      {"PairwiseDistance p",
       pair_layer(PairwiseDistance(PairwiseDistanceOptions().p(3).eps(1e-3).keepdim(true)),
                  "PairwiseDistance(p=3, eps=0.001, keepdim=true)")},
  };
}

TEST(Pairs, AreThoseOfPyTorch) {
  for (const auto& [name, layer] : pair_layers()) {
    SCOPED_TRACE(name);
    const Tensor a = parameter_of(golden_pair(name + " 0"));
    const Tensor b = parameter_of(golden_pair(name + " 1"));
    {
      const NoGradGuard no_grad;
      for (const auto& [key, parameter] : layer.module->named_parameters()) {
        Tensor(parameter).copy_(golden_pair(name + ' ' + key));
      }
    }
    const Tensor y = layer.forward(a, b);
    EXPECT_TRUE(y.allclose(golden_pair(name), 1e-12, 1e-14));
    (y * arange(1, y.numel() + 1, kDouble).view(y.sizes())).sum().backward();
    const auto expect_gradient = [&, name = name](const std::string& key, const Tensor& tensor) {
      EXPECT_TRUE(tensor.grad().allclose(golden_pair(name + ' ' + key + " gradient"), 1e-11, 1e-13))
          << key;
    };
    expect_gradient("0", a);
    expect_gradient("1", b);
    for (const auto& [key, parameter] : layer.module->named_parameters()) {
      expect_gradient(key, parameter);
    }
    EXPECT_EQ(printed(*layer.module), layer.prints);

    std::vector<Tensor> inputs{a, b};
    for (const Tensor& parameter : layer.module->parameters()) inputs.push_back(parameter);
    const auto call = [&forward = layer.forward](const std::vector<Tensor>& in) {
      return std::vector<Tensor>{forward(in[0], in[1])};
    };
    EXPECT_TRUE(autograd::gradcheck(call, inputs));
    EXPECT_TRUE(autograd::gradgradcheck(call, inputs));
  }
}

TEST(Pairs, TakeInputsWithoutElementsAndStridedOnes) {
  const Tensor a = randn({3, 5}, kDouble).t(), b = randn({2, 5}, kDouble).t();
  for (const auto& [name, layer] : pair_layers()) {
    SCOPED_TRACE(name);
    const Tensor& second = name[0] == 'B' ? b : a;
    EXPECT_TRUE(layer.forward(a, second).allclose(
        layer.forward(a.contiguous(), second.contiguous()), 1e-14, 1e-14));
    EXPECT_EQ(layer.forward(a.narrow(0, 0, 0), second.narrow(0, 0, 0)).numel(),
              name == "CosineSimilarity dim" ? 3 : 0);
  }
}

TEST(Bilinear, DrawsPyTorchsNumbers) {
  manual_seed(3);
  const nn::Bilinear layer(3, 2, 4);
  EXPECT_TRUE(same_bits(layer->weight, golden_pair("drawn weight")));
  EXPECT_TRUE(same_bits(layer->bias, golden_pair("drawn bias")));
  EXPECT_EQ(layer->state_dict().keys(), (std::vector<std::string>{"weight", "bias"}));
  EXPECT_EQ(nn::Bilinear(nn::BilinearOptions(3, 2, 4).bias(false))->state_dict().keys(),
            std::vector<std::string>{"weight"});
}

TEST(Bilinear, RefusesWhatDoesNotFit) {
  EXPECT_EQ(error_of<ShapeError>([] { nn::Bilinear(0, 2, 4); }),
            "nn::Bilinear: in1_features must be > 0, but got 0");
  EXPECT_EQ(error_of<ShapeError>([] { nn::Bilinear(1, -2, 4); }),
            "nn::Bilinear: the size in2_features must not be negative, got -2");
  const nn::Bilinear layer(3, 2, 4);
  EXPECT_NE(error_of<ShapeError>([&] {
              layer(ones({5, 2}), ones({5, 2}));
            }).find("input1 size does not match weight size: got 2 but expected 3"),
            std::string::npos);
  EXPECT_THROW(layer(ones({5, 3}, kDouble), ones({5, 2}, kDouble)), Error);
  EXPECT_FALSE((std::is_constructible_v<nn::BilinearOptions, bool, int, int>));
  layer.to("cuda:1");
  EXPECT_NE(error_of<DeviceError>([&] {
              layer(ones({5, 3}), ones({5, 2}));
            }).find("found at least two devices"),
            std::string::npos);
  const Device there("cuda:1");
  EXPECT_EQ(layer(ones({5, 3}, there), ones({5, 2}, there)).device(), there);
}

}  // namespace
}  // namespace tern
