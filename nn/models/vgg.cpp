#include <tern/core/ops/ops.h>
#include <tern/nn/models/detail/parts.h>
#include <tern/nn/models/vgg.h>
#include <tern/nn/modules/activation.h>
#include <tern/nn/modules/batch_norm.h>
#include <tern/nn/modules/dropout.h>
#include <tern/nn/modules/linear.h>

namespace tern::models {

VGGImpl::VGGImpl(VGGOptions options_) : options(std::move(options_)) { VGGImpl::reset(); }

void VGGImpl::reset() {
  const std::vector<std::int64_t>& stages = options.stages();
  TERN_CHECK(stages.size() == 5, Error, "VGG: there must be five stages, got ", stages.size());
  features = nn::Sequential();
  std::int64_t in = 3, out = 64;
  for (std::size_t stage = 0; stage < 5; ++stage) {
    TERN_CHECK(stages[stage] > 0, Error, "VGG: stage ", stage + 1, " must have a convolution, got ",
               stages[stage]);
    for (std::int64_t k = 0; k < stages[stage]; ++k, in = out) {
      features->push_back(nn::Conv2d(nn::Conv2dOptions(in, out, 3).padding(1)));
      if (options.batch_norm()) features->push_back(nn::BatchNorm2d(out));
      features->push_back(nn::ReLU(true));
    }
    features->push_back(nn::MaxPool2d(2));
    if (out < 512) out *= 2;
  }
  avgpool = nn::AdaptiveAvgPool2d(7);
  classifier = nn::Sequential();
  in *= 49;  // the pixels of avgpool
  for (int layer = 0; layer < 2; ++layer, in = 4096) {
    classifier->push_back(nn::Linear(in, 4096));
    classifier->push_back(nn::ReLU(true));
    classifier->push_back(nn::Dropout(options.dropout()));
  }
  classifier->push_back(nn::Linear(in, options.num_classes()));
  register_module("features", features);
  register_module("avgpool", avgpool);
  register_module("classifier", classifier);
  detail::draw_weights(*this, 0.01);
}

void VGGImpl::pretty_print(std::ostream& stream) const { stream << "tern::models::VGG"; }

Tensor VGGImpl::forward(const Tensor& x) { return classifier(avgpool(features(x)).flatten(1)); }

namespace {

VGG make_vgg(std::vector<std::int64_t> stages, bool batch_norm, StrictInt num_classes) {
  return VGG(VGGOptions(std::move(stages)).batch_norm(batch_norm).num_classes(num_classes));
}

}  // namespace

VGG vgg11(StrictInt num_classes) { return make_vgg({1, 1, 2, 2, 2}, false, num_classes); }
VGG vgg11_bn(StrictInt num_classes) { return make_vgg({1, 1, 2, 2, 2}, true, num_classes); }
VGG vgg13(StrictInt num_classes) { return make_vgg({2, 2, 2, 2, 2}, false, num_classes); }
VGG vgg13_bn(StrictInt num_classes) { return make_vgg({2, 2, 2, 2, 2}, true, num_classes); }
VGG vgg16(StrictInt num_classes) { return make_vgg({2, 2, 3, 3, 3}, false, num_classes); }
VGG vgg16_bn(StrictInt num_classes) { return make_vgg({2, 2, 3, 3, 3}, true, num_classes); }
VGG vgg19(StrictInt num_classes) { return make_vgg({2, 2, 4, 4, 4}, false, num_classes); }
VGG vgg19_bn(StrictInt num_classes) { return make_vgg({2, 2, 4, 4, 4}, true, num_classes); }

}  // namespace tern::models
