#include <cmath>

#include <tern/core/autograd/grad_mode.h>
#include <tern/nn/models.h>

#include "fnv1a.h"
#include "nn/nn_test.h"

// golden/nn/models.py records what torchvision's networks are and compute. Both sides make the same
// numbers by a formula. Networks begin on meta: that draws nothing and takes no memory.

namespace tern {
namespace {

const nlohmann::json& numbers_of(const std::string& name) {
  return testing::golden("nn/models").at(name);
}

class DefaultDevice {
 public:
  explicit DefaultDevice(Device device) : old_(get_default_device()) { set_default_device(device); }
  ~DefaultDevice() { set_default_device(old_); }
  DefaultDevice(const DefaultDevice&) = delete;
  DefaultDevice& operator=(const DefaultDevice&) = delete;

 private:
  Device old_;
};

template <class Make>
auto on_meta(const Make& make) {
  const DefaultDevice meta("meta");
  return make();
}

/// Compares the keys and their order, and the shapes.
void check_keys(const std::string& name, const nn::Module& net) {
  std::string text;
  const State state = net.state_dict();
  for (const auto& [key, value] : state) text += key + ' ' + printed(value.tensor().sizes()) + '\n';
  EXPECT_EQ(state.size(), numbers_of(name + " keys").at(0).get<std::size_t>()) << name << '\n';
  EXPECT_EQ(std::to_string(testing::fnv1a(text.data(), text.size())),
            numbers_of(name + " keys").at(1).get<std::string>())
      << name << '\n'
      << text;
}

/// Returns numbers from -1 to 1 for elements of tensor `k`.
Tensor formula(const Tensor& i, std::int64_t k) {
  return (((i * 40503 + k * 1009) % 65536 - 32768).to(kDouble) / 32768);
}

/// Replaces the tensors of a network by those of the formula.
void fill(nn::Module& net) {
  State filled;
  std::int64_t k = 0;
  for (const auto& [key, value] : net.state_dict()) {
    const Tensor& tensor = value.tensor();
    Tensor numbers = formula(arange(tensor.numel()), k++);
    if (key.ends_with("num_batches_tracked")) {
      numbers = zeros({1});
    } else if (key.ends_with("running_mean") || key.ends_with("bias")) {
      numbers = numbers / 8;
    } else if (key.ends_with("running_var") || tensor.dim() == 1) {
      numbers = 1 + numbers / 2;
    } else {
      numbers = numbers * std::sqrt(6.0 * static_cast<double>(tensor.size(0)) /
                                    static_cast<double>(tensor.numel()));
    }
    filled.insert(key, numbers.to(tensor.dtype()).view(tensor.sizes()));
  }
  net.load_state_dict(filled, {.assign = true});
}

Tensor image(std::int64_t channels, std::int64_t size) {
  return formula(arange(2 * channels * size * size), 5).to(kFloat).view({2, channels, size, size});
}

/// Checks within 1e-4 of the largest number.
void check_numbers(const std::string& name, const Tensor& actual) {
  const Tensor expected = testing::golden_tensor(numbers_of(name));
  ASSERT_EQ(actual.sizes(), expected.sizes()) << name;
  const double largest = expected.abs().max().item<double>();
  EXPECT_LT((actual - expected).abs().max().item<double>(), 1e-4 * largest) << name << '\n'
                                                                            << actual << '\n'
                                                                            << expected;
}

/// Checks keys, and results in evaluation. Returns the network.
template <class Make>
auto check_model(const std::string& name, const Make& make, std::int64_t channels,
                 std::int64_t size, std::int64_t step = 1) {
  auto net = on_meta(make);
  check_keys(name, *net);
  fill(*net);
  net->eval();
  const NoGradGuard no_grad;
  check_numbers(name, net(image(channels, size)).slice(-1, 0, size, step));
  return net;
}

/// Compares the gradient of a parameter in training with PyTorch's.
void check_gradient(const std::string& name, auto& net, std::int64_t channels, std::int64_t size,
                    const Tensor& parameter) {
  fill(*net);
  net->train();
  const Tensor loss = cross_entropy_loss(net(image(channels, size)), tensor({1, 0}));
  check_numbers(name + " loss", loss.detach());
  loss.backward();
  check_numbers(name + " gradient", parameter.grad().flatten().slice(0, 0, 8));
}

TEST(Models, HaveTheKeysOfTorchvision) {
  const DefaultDevice meta("meta");
  check_keys("resnet18", *models::resnet18());
  check_keys("resnet34", *models::resnet34());
  check_keys("resnet50", *models::resnet50());
  check_keys("resnet101", *models::resnet101());
  check_keys("resnet152", *models::resnet152());
  check_keys("mobilenet_v2", *models::mobilenet_v2());
  check_keys("alexnet", *models::alexnet());
  check_keys("vgg11", *models::vgg11());
  check_keys("vgg11_bn", *models::vgg11_bn());
  check_keys("vgg13", *models::vgg13());
  check_keys("vgg13_bn", *models::vgg13_bn());
  check_keys("vgg16", *models::vgg16());
  check_keys("vgg16_bn", *models::vgg16_bn());
  check_keys("vgg19", *models::vgg19());
  check_keys("vgg19_bn", *models::vgg19_bn());
  check_keys("unet", *models::unet());
  check_keys("LeNet", *models::lenet());
}

template <class Make>
void check_draws(const std::string& name, const Make& make) {
  manual_seed(3);
  const auto net = make();
  std::vector<Tensor> chosen;
  for (const Tensor& parameter : net->parameters()) {
    chosen.push_back(parameter.detach().flatten().slice(0, 0, parameter.numel(), 97));
  }
  const Tensor bits = cat(chosen);
  EXPECT_EQ(std::to_string(testing::fnv1a(bits.data_ptr(), bits.nbytes())),
            numbers_of(name + " draws").get<std::string>());
  EXPECT_TRUE(same_bits(rand({2}), testing::golden_tensor(numbers_of(name + " next"))));
}

TEST(Models, DrawTheInitialValuesOfTorchvision) {
  check_draws("resnet18", [] { return models::resnet18(5); });
  check_draws("mobilenet_v2", [] { return models::mobilenet_v2(5); });
}

models::ResNet small_resnet() {
  return models::ResNet(
      models::ResNetOptions(models::ResNetBlock::kBasic, {1, 2, 1, 1}).num_classes(5));
}

TEST(Models, ComputeWhatTorchvisionComputes) {
  using namespace models;
  auto resnet = check_model("ResNet basic", small_resnet, 3, 40);
  check_gradient("ResNet basic", resnet, 3, 40, resnet->conv1->weight);
  check_model(
      "ResNet bottleneck",
      [] {
        return ResNet(ResNetOptions(ResNetBlock::kBottleneck, {2, 1, 1, 1})
                          .num_classes(5)
                          .groups(4)
                          .width_per_group(16));
      },
      3, 40);
  check_model(
      "MobileNetV2",
      [] { return MobileNetV2(MobileNetV2Options().num_classes(5).width_mult(0.35)); }, 3, 40);
  auto net = check_model(
      "LeNet", [] { return lenet(); }, 1, 28);
  check_gradient("LeNet", net, 1, 28, net->conv1->weight);
  check_model(
      "LeNet 32", [] { return LeNet(LeNetOptions().in_channels(3).image_size(32)); }, 3, 32);
  check_model(
      "UNet", [] { return UNet(UNetOptions(1, 2).width(4)); }, 1, 19, 3);
  check_model(
      "UNet bilinear", [] { return UNet(UNetOptions(3, 1).bilinear(true).width(4)); }, 3, 22, 3);
}

/// Checks the convolutions of a network whose classifier has most of the parameters.
template <class Make>
void check_features(const std::string& name, const Make& make, std::int64_t size) {
  auto net = on_meta(make);
  EXPECT_EQ(net(empty({2, 3, 224, 224}, kMeta)).sizes(), IntArrayRef({2, 5})) << name;
  nn::Sequential features({{"features", net->features}});
  check_keys(name + " features", *features);
  fill(*features);
  net->eval();
  const NoGradGuard no_grad;
  check_numbers(name + " features",
                net->avgpool(net->features(image(3, size))).sum({2, 3}).slice(1, 0, 512, 8));
}

TEST(Models, ComputeTheFeaturesOfTorchvision) {
  check_features(
      "VGG", [] { return models::vgg11_bn(5); }, 32);
  check_features(
      "AlexNet", [] { return models::alexnet(5); }, 64);
}

/// Checks that a copy is one of its own that computes the same, and that it moves.
template <class Net>
void check_copy(const Net& net, const Tensor& images) {
  const auto copy = net.clone();
  const NoGradGuard no_grad;
  net->eval();
  EXPECT_TRUE(copy->is_training());
  copy->eval();
  const Tensor expected = net(images);
  EXPECT_TRUE(same_bits(copy(images), expected));
  for (Tensor parameter : copy->parameters()) parameter.zero_();
  EXPECT_TRUE(same_bits(net(images), expected));
  EXPECT_EQ(copy->state_dict().keys(), net->state_dict().keys());
}

TEST(Models, CopyAndMove) {
  manual_seed(1);
  const Tensor images = rand({2, 3, 32, 32});
  check_copy(small_resnet(), images);
  check_copy(models::MobileNetV2(models::MobileNetV2Options().width_mult(0.1)), images);
  check_copy(models::UNet(models::UNetOptions(3, 2).width(2)), images);
  const models::LeNet net(models::LeNetOptions().in_channels(3).image_size(32));
  check_copy(net, images);
  const Tensor expected = net(images);
  net.to("cuda:1");
  EXPECT_TRUE(close(net(images.to("cuda:1")), expected, 1e-5));
  EXPECT_EQ(net.clone("cpu")->fc1->weight.device(), Device(kCPU));
}

TEST(Models, AnotherHeadIsCopied) {
  models::ResNet net = small_resnet();
  net->fc = net->replace_module("fc", nn::Linear(512, 3).ptr());
  const auto copy = net.clone();
  EXPECT_TRUE(same_bits(copy->fc->weight, net->fc->weight));
  net->eval(), copy->eval();
  const NoGradGuard no_grad;
  EXPECT_TRUE(same_bits(copy(ones({1, 3, 32, 32})), net(ones({1, 3, 32, 32}))));
}

TEST(Models, ResidualsCanStartAsZero) {
  const models::ResNet net(models::ResNetOptions(models::ResNetBlock::kBasic, {1, 1, 1, 1})
                               .num_classes(2)
                               .zero_init_residual(true));
  const State state = net->state_dict();
  EXPECT_EQ(state["layer1.0.bn2.weight"].tensor().sum().item<float>(), 0);
  EXPECT_EQ(state["layer1.0.bn1.weight"].tensor().sum().item<float>(), 64);
}

TEST(Models, PrintTheirLayers) {
  const std::string text = printed(small_resnet());
  EXPECT_TRUE(text.starts_with("tern::models::ResNet(\n  (conv1): tern::nn::Conv2d(3, 64, "))
      << text;
  EXPECT_NE(text.find("    (0): tern::models::BasicBlock(\n      (conv1): "), std::string::npos)
      << text;
  EXPECT_NE(text.find("(fc): tern::nn::Linear(in_features=512, out_features=5, bias=true)"),
            std::string::npos)
      << text;
}

TEST(Models, RefuseOptionsWithoutMeaning) {
  using namespace models;
  const auto basic = ResNetBlock::kBasic;
  EXPECT_EQ(error_of<Error>([&] {
              ResNet(ResNetOptions(basic, {1, 1}));
            }),
            "ResNet: there must be four layers, got 2");
  EXPECT_EQ(error_of<Error>([&] {
              ResNet(ResNetOptions(basic, {1, 1, 0, 1}));
            }),
            "ResNet: layer3 must have a block, got 0");
  EXPECT_EQ(error_of<Error>([&] {
              ResNet(ResNetOptions(basic, {1, 1, 1, 1}).groups(2));
            }),
            "ResNet: basic blocks only support groups=1 and width_per_group=64, got 2 and 64");
  EXPECT_EQ(error_of<Error>([&] { MobileNetV2(MobileNetV2Options().width_mult(0)); }),
            "MobileNetV2: width_mult and round_nearest must be positive, got 0 and 8");
  EXPECT_EQ(error_of<Error>([&] { UNet(UNetOptions(3, 0)); }),
            "UNet: n_channels, n_classes and width must be positive, got 3, 0 and 64");
  EXPECT_EQ(error_of<Error>([&] { VGG(VGGOptions({1})); }),
            "VGG: there must be five stages, got 1");
  EXPECT_EQ(error_of<Error>([&] {
              VGG(VGGOptions({1, 1, 1, 1, -1}));
            }),
            "VGG: stage 5 must have a convolution, got -1");
  EXPECT_EQ(error_of<Error>([&] { LeNet(LeNetOptions().image_size(30)); }),
            "LeNet: image_size must be 28 or 32, got 30");
  EXPECT_NE(error_of<ShapeError>([&] {
              lenet()(ones({1, 1, 32, 32}));
            }).find("400"),
            std::string::npos);
}

}  // namespace
}  // namespace tern
