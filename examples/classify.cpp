// Says what a picture shows, with the weights of a ResNet that torchvision trained.
//
//   classify --weights FILE [--labels FILE] [--top 5] [--device cpu|cuda|cuda:N] [--disable-cuda]
//            IMAGE
//
// FILE holds a state_dict, as PyTorch (.pth) or safetensors. Its keys say which ResNet it is. In
// Python:
//
//   torch.save(torchvision.models.resnet18(weights="DEFAULT").state_dict(), "resnet18.pth")
//
// --labels names the classes, one per line. Expected: the most probable classes, as
//
//    93.21 %  tabby

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <tern/nn/data/files.h>
#include <tern/nn/models.h>
#include <tern/tern.h>

#include "support/command_line.h"

namespace {

namespace data = tern::data;
namespace models = tern::models;
namespace transforms = data::transforms;
using tern::Tensor;

struct Arguments {
  std::string image, weights, labels;
  int top = 5;
  tern::Device device = tern::kCPU;
};

/// Makes the ResNet that the keys of a state describe, with its weights.
models::ResNet load_resnet(const std::string& file) {
  const tern::State state = tern::load_state(file);
  std::vector<std::int64_t> layers(4);
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string layer = "layer" + std::to_string(i + 1) + ".";
    while (state.contains(layer + std::to_string(layers[i]) + ".conv1.weight")) ++layers[i];
    TERN_CHECK(layers[i] > 0 && state.contains("fc.weight"), tern::Error, file,
               " does not hold the state_dict of a ResNet: it has no ",
               layers[i] > 0 ? "fc" : layer + "0.conv1", ".weight");
  }
  const bool is_deep = state.contains("layer1.0.conv3.weight");
  const auto block = is_deep ? models::ResNetBlock::kBottleneck : models::ResNetBlock::kBasic;
  const std::int64_t classes = state["fc.weight"].tensor().size(0);
  models::ResNet net(models::ResNetOptions(block, layers).num_classes(classes));
  net.load_state_dict(state);
  net->eval();
  return net;
}

std::vector<std::string> read_labels(const std::string& file, std::int64_t classes) {
  std::vector<std::string> names;
  if (file.empty()) {
    for (std::int64_t i = 0; i < classes; ++i) names.push_back("class " + std::to_string(i));
    return names;
  }
  data::datasets::TextLines lines(file, /*skip_empty=*/true);
  for (std::size_t i = 0; i < *lines.size(); ++i) names.push_back(lines.get(i));
  TERN_CHECK(std::ssize(names) == classes, tern::Error, file, " has ", names.size(),
             " lines, but the network has ", classes, " classes");
  return names;
}

void run(const Arguments& arguments) {
  const models::ResNet net = load_resnet(arguments.weights).to(arguments.device);
  const std::int64_t classes = net->options.num_classes();
  const std::vector<std::string> names = read_labels(arguments.labels, classes);

  transforms::Compose prepare(
      {transforms::Resize(256), transforms::CenterCrop(224), transforms::ConvertImageDtype(),
       transforms::Normalize<>({0.485, 0.456, 0.406}, {0.229, 0.224, 0.225})});
  const Tensor image = prepare(data::read_image(arguments.image)).unsqueeze(0);

  const tern::NoGradGuard no_grad;
  const Tensor scores = net(image.to(arguments.device));
  const auto [probabilities, best] =
      scores.softmax(1)[0].cpu().topk(std::min<std::int64_t>(arguments.top, classes));
  for (std::int64_t i = 0; i < best.numel(); ++i) {
    std::printf("%6.2f %%  %s\n", 100 * probabilities[i].item<double>(),
                names[static_cast<std::size_t>(best[i].item<std::int64_t>())].c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  support::CommandLine line("Says what a picture shows.", "classify");
  line.option("image", arguments.image, "PNG or JPEG").required();
  line.option("--weights", arguments.weights, "state_dict of a ResNet, .pth or .safetensors")
      .required();
  line.option("--labels", arguments.labels, "names of the classes, one per line");
  line.option("--top", arguments.top, "classes to print, 5 unless said").check(support::whole(1));
  line.device(arguments.device);
  return line.run(argc, argv, [&] { run(arguments); });
}
