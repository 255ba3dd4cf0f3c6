#include <tern/core/ops/ops.h>
#include <tern/nn/models/alexnet.h>
#include <tern/nn/modules/activation.h>
#include <tern/nn/modules/conv.h>
#include <tern/nn/modules/dropout.h>
#include <tern/nn/modules/linear.h>

namespace tern::models {

AlexNetImpl::AlexNetImpl(const AlexNetOptions& options_) : options(options_) {
  AlexNetImpl::reset();
}

void AlexNetImpl::reset() {
  features = nn::Sequential();
  const auto add_conv = [&](const nn::Conv2dOptions& conv, bool has_pool) {
    features->push_back(nn::Conv2d(conv));
    features->push_back(nn::ReLU(true));
    if (has_pool) features->push_back(nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(2)));
  };
  add_conv(nn::Conv2dOptions(3, 64, 11).stride(4).padding(2), true);
  add_conv(nn::Conv2dOptions(64, 192, 5).padding(2), true);
  add_conv(nn::Conv2dOptions(192, 384, 3).padding(1), false);
  add_conv(nn::Conv2dOptions(384, 256, 3).padding(1), false);
  add_conv(nn::Conv2dOptions(256, 256, 3).padding(1), true);
  avgpool = nn::AdaptiveAvgPool2d(6);
  classifier = nn::Sequential();
  std::int64_t in = std::int64_t{256} * 6 * 6;
  for (int layer = 0; layer < 2; ++layer, in = 4096) {
    classifier->push_back(nn::Dropout(options.dropout()));
    classifier->push_back(nn::Linear(in, 4096));
    classifier->push_back(nn::ReLU(true));
  }
  classifier->push_back(nn::Linear(in, options.num_classes()));
  register_module("features", features);
  register_module("avgpool", avgpool);
  register_module("classifier", classifier);
}

void AlexNetImpl::pretty_print(std::ostream& stream) const { stream << "tern::models::AlexNet"; }

Tensor AlexNetImpl::forward(const Tensor& x) { return classifier(avgpool(features(x)).flatten(1)); }

AlexNet alexnet(StrictInt num_classes) {
  return AlexNet(AlexNetOptions().num_classes(num_classes));
}

}  // namespace tern::models
