#pragma once

#include <torch/torch.h>

// Networks for images as users of libtorch write them; torchvision is in Python alone.

namespace bench {

namespace nn = torch::nn;

inline nn::Conv2d conv(std::int64_t in, std::int64_t out, std::int64_t kernel,
                       std::int64_t stride = 1, std::int64_t groups = 1) {
  return nn::Conv2d(nn::Conv2dOptions(in, out, kernel)
                        .stride(stride)
                        .padding(kernel / 2)
                        .groups(groups)
                        .bias(false));
}

struct BlockImpl : nn::Module {
  BlockImpl(std::int64_t in, std::int64_t out, std::int64_t stride)
      : conv1(conv(in, out, 3, stride)), conv2(conv(out, out, 3)), bn1(out), bn2(out) {
    register_module("conv1", conv1);
    register_module("bn1", bn1);
    register_module("conv2", conv2);
    register_module("bn2", bn2);
    if (stride == 1 && in == out) return;
    downsample = nn::Sequential(conv(in, out, 1, stride), nn::BatchNorm2d(out));
    register_module("downsample", downsample);
  }
  torch::Tensor forward(torch::Tensor x) {
    auto out = bn1(conv1(x)).relu_();
    out = bn2(conv2(out));
    out += downsample.is_empty() ? x : downsample->forward(x);
    return out.relu_();
  }
  nn::Conv2d conv1, conv2;
  nn::BatchNorm2d bn1, bn2;
  nn::Sequential downsample{nullptr};
};
TORCH_MODULE(Block);

/// ResNet-18.
struct ResNetImpl : nn::Module {
  ResNetImpl() : stem(conv(3, 64, 7, 2)), bn(64), fc(512, 1000) {
    std::int64_t in = 64;
    for (const std::int64_t out : {64, 128, 256, 512}) {
      layers->push_back(Block(in, out, in < out ? 2 : 1));
      layers->push_back(Block(out, out, 1));
      in = out;
    }
    register_module("stem", stem);
    register_module("bn", bn);
    register_module("layers", layers);
    register_module("fc", fc);
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::max_pool2d(bn(stem(x)).relu_(), {3, 3}, {2, 2}, {1, 1});
    return fc(torch::adaptive_avg_pool2d(layers->forward(x), {1, 1}).flatten(1));
  }
  nn::Conv2d stem;
  nn::BatchNorm2d bn;
  nn::Sequential layers;
  nn::Linear fc;
};
TORCH_MODULE(ResNet);

struct InvertedResidualImpl : nn::Module {
  InvertedResidualImpl(std::int64_t in, std::int64_t out, std::int64_t stride,
                       std::int64_t expansion)
      : is_residual(stride == 1 && in == out) {
    const std::int64_t hidden = in * expansion;
    if (expansion != 1) {
      layers->push_back(conv(in, hidden, 1));
      layers->push_back(nn::BatchNorm2d(hidden));
      layers->push_back(nn::ReLU6(nn::ReLU6Options().inplace(true)));
    }
    layers->push_back(conv(hidden, hidden, 3, stride, hidden));
    layers->push_back(nn::BatchNorm2d(hidden));
    layers->push_back(nn::ReLU6(nn::ReLU6Options().inplace(true)));
    layers->push_back(conv(hidden, out, 1));
    layers->push_back(nn::BatchNorm2d(out));
    register_module("layers", layers);
  }
  torch::Tensor forward(torch::Tensor x) {
    return is_residual ? x + layers->forward(x) : layers->forward(x);
  }
  bool is_residual;
  nn::Sequential layers;
};
TORCH_MODULE(InvertedResidual);

/// MobileNetV2.
struct MobileNetImpl : nn::Module {
  MobileNetImpl() : fc(1280, 1000) {
    struct Stage {
      std::int64_t expansion, out, blocks, stride;
    };
    const Stage stages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                            {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
    add(3, 32, 3, 2);
    std::int64_t in = 32;
    for (const Stage& stage : stages) {
      for (std::int64_t i = 0; i < stage.blocks; ++i) {
        layers->push_back(
            InvertedResidual(in, stage.out, i == 0 ? stage.stride : 1, stage.expansion));
        in = stage.out;
      }
    }
    add(in, 1280, 1, 1);
    register_module("layers", layers);
    register_module("fc", fc);
  }
  void add(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride) {
    layers->push_back(conv(in, out, kernel, stride));
    layers->push_back(nn::BatchNorm2d(out));
    layers->push_back(nn::ReLU6(nn::ReLU6Options().inplace(true)));
  }
  torch::Tensor forward(torch::Tensor x) {
    return fc(torch::adaptive_avg_pool2d(layers->forward(x), {1, 1}).flatten(1));
  }
  nn::Sequential layers;
  nn::Linear fc;
};
TORCH_MODULE(MobileNet);

/// LeNet-5 with ReLU and max pooling.
struct LeNetImpl : nn::Module {
  LeNetImpl()
      : conv1(nn::Conv2dOptions(1, 6, 5).padding(2)),
        conv2(6, 16, 5),
        fc1(400, 120),
        fc2(120, 84),
        fc3(84, 10) {
    register_module("conv1", conv1);
    register_module("conv2", conv2);
    register_module("fc1", fc1);
    register_module("fc2", fc2);
    register_module("fc3", fc3);
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::max_pool2d(torch::relu(conv1(x)), 2);
    x = torch::max_pool2d(torch::relu(conv2(x)), 2);
    x = torch::relu(fc1(x.flatten(1)));
    return fc3(torch::relu(fc2(x)));
  }
  nn::Conv2d conv1, conv2;
  nn::Linear fc1, fc2, fc3;
};
TORCH_MODULE(LeNet);

}  // namespace bench
