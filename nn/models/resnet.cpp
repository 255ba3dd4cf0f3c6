#include <tern/core/ops/ops.h>
#include <tern/nn/init.h>
#include <tern/nn/models/detail/parts.h>
#include <tern/nn/models/resnet.h>

namespace tern::models {

namespace {

struct BlockShape {
  ResNetBlock kind;
  std::int64_t in, width, out, stride, groups;
};

/// A residual block of either kind.
class ResidualBlock : public nn::Cloneable<ResidualBlock> {
 public:
  explicit ResidualBlock(const BlockShape& shape)
      : Cloneable(shape.kind == ResNetBlock::kBasic ? "tern::models::BasicBlock"
                                                    : "tern::models::Bottleneck"),
        shape_(shape) {
    ResidualBlock::reset();
  }

  void reset() override {
    convs_.clear();
    norms_.clear();
    relu_ = nn::ReLU(true);
    const auto [kind, in, width, out, stride, groups] = shape_;
    if (kind == ResNetBlock::kBasic) {
      add(in, width, 3, stride, 1);
      register_module("relu", relu_);
      add(width, out, 3, 1, 1);
    } else {
      add(in, width, 1, 1, 1);
      add(width, width, 3, stride, groups);
      add(width, out, 1, 1, 1);
      register_module("relu", relu_);
    }
    downsample_ = nullptr;
    if (stride != 1 || in != out) {
      downsample_ = nn::Sequential{detail::make_conv(in, out, 1, stride), nn::BatchNorm2d(out)};
      register_module("downsample", downsample_);
    }
  }

  Tensor forward(const Tensor& x) {
    Tensor out = x;
    for (std::size_t i = 0; i + 1 < convs_.size(); ++i) out = relu_(norms_[i](convs_[i](out)));
    out = norms_.back()(convs_.back()(out));
    out.add_(downsample_ ? downsample_(x) : x);
    return relu_(std::move(out));
  }

  nn::BatchNorm2d& last_norm() { return norms_.back(); }

 private:
  void add(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride,
           std::int64_t groups) {
    convs_.push_back(detail::make_conv(in, out, kernel, stride, groups));
    norms_.emplace_back(out);
    const std::string number = std::to_string(convs_.size());
    register_module("conv" + number, convs_.back());
    register_module("bn" + number, norms_.back());
  }

  BlockShape shape_;
  std::vector<nn::Conv2d> convs_;
  std::vector<nn::BatchNorm2d> norms_;
  nn::ReLU relu_{nullptr};
  nn::Sequential downsample_{nullptr};
};

ResNet make_resnet(ResNetBlock block, std::vector<std::int64_t> layers, StrictInt num_classes) {
  return ResNet(ResNetOptions(block, std::move(layers)).num_classes(num_classes));
}

}  // namespace

ResNetImpl::ResNetImpl(ResNetOptions options_) : options(std::move(options_)) {
  ResNetImpl::reset();
}

void ResNetImpl::reset() {
  const std::vector<std::int64_t>& counts = options.layers();
  TERN_CHECK(counts.size() == 4, Error, "ResNet: there must be four layers, got ", counts.size());
  const bool is_basic = options.block() == ResNetBlock::kBasic;
  TERN_CHECK(!is_basic || (options.groups() == 1 && options.width_per_group() == 64), Error,
             "ResNet: basic blocks only support groups=1 and width_per_group=64, got ",
             options.groups(), " and ", options.width_per_group());
  conv1 = nn::Conv2d(nn::Conv2dOptions(3, 64, 7).stride(2).padding(3).bias(false));
  bn1 = nn::BatchNorm2d(64);
  relu = nn::ReLU(true);
  maxpool = nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(2).padding(1));
  register_module("conv1", conv1);
  register_module("bn1", bn1);
  register_module("relu", relu);
  register_module("maxpool", maxpool);
  const std::int64_t expansion = is_basic ? 1 : 4;
  std::int64_t in = 64, planes = 64;
  std::vector<std::shared_ptr<ResidualBlock>> blocks;
  nn::Sequential* const layers[] = {&layer1, &layer2, &layer3, &layer4};
  for (std::size_t i = 0; i < 4; ++i, planes *= 2) {
    TERN_CHECK(counts[i] > 0, Error, "ResNet: layer", i + 1, " must have a block, got ", counts[i]);
    const std::int64_t width =
        is_basic ? planes : planes * options.width_per_group() / 64 * options.groups();
    *layers[i] = nn::Sequential();
    for (std::int64_t k = 0; k < counts[i]; ++k) {
      const std::int64_t stride = k == 0 && i > 0 ? 2 : 1;
      blocks.push_back(std::make_shared<ResidualBlock>(
          BlockShape{options.block(), in, width, planes * expansion, stride, options.groups()}));
      (*layers[i])->push_back(blocks.back());
      in = planes * expansion;
    }
    register_module("layer" + std::to_string(i + 1), *layers[i]);
  }
  avgpool = nn::AdaptiveAvgPool2d(1);
  fc = nn::Linear(in, options.num_classes());
  register_module("avgpool", avgpool);
  register_module("fc", fc);
  detail::draw_weights(*this);
  if (!options.zero_init_residual()) return;
  for (const auto& block : blocks) nn::init::zeros_(block->last_norm()->weight);
}

void ResNetImpl::pretty_print(std::ostream& stream) const { stream << "tern::models::ResNet"; }

Tensor ResNetImpl::forward(Tensor x) {
  x = maxpool(relu(bn1(conv1(x))));
  x = layer4(layer3(layer2(layer1(std::move(x)))));
  return fc(avgpool(x).flatten(1));
}

ResNet resnet18(StrictInt num_classes) {
  return make_resnet(ResNetBlock::kBasic, {2, 2, 2, 2}, num_classes);
}
ResNet resnet34(StrictInt num_classes) {
  return make_resnet(ResNetBlock::kBasic, {3, 4, 6, 3}, num_classes);
}
ResNet resnet50(StrictInt num_classes) {
  return make_resnet(ResNetBlock::kBottleneck, {3, 4, 6, 3}, num_classes);
}
ResNet resnet101(StrictInt num_classes) {
  return make_resnet(ResNetBlock::kBottleneck, {3, 4, 23, 3}, num_classes);
}
ResNet resnet152(StrictInt num_classes) {
  return make_resnet(ResNetBlock::kBottleneck, {3, 8, 36, 3}, num_classes);
}

}  // namespace tern::models
