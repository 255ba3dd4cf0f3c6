#include <torch/torch.h>

#include <string>
#include <vector>

#include "bench.h"

#ifdef TERN_MODULE
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/convolution.h>
#endif

// Convolutions of images forward, and forward and backward (the gradients of input, weight and
// bias): one of many channels, depthwise ones, and the distinct layers of ResNet-18 and MobileNetV2
// with 1 image; with CONV_ALL=1 also with 16, channels-last input and weight, and ResNet-18's in
// bfloat16. tern says in the log by which algorithm it computes each.

namespace {

struct ConvLayer {
  const char* name;
  std::int64_t in, size, out, kernel, stride, groups;
};

constexpr ConvLayer kConvLayers[] = {
    {"", 32, 28, 64, 3, 1, 1},           {"depthwise", 96, 28, 96, 3, 1, 96},
    {"depthwise", 96, 28, 96, 3, 2, 96}, {"resnet", 3, 224, 64, 7, 2, 1},
    {"resnet", 64, 56, 64, 3, 1, 1},     {"resnet", 64, 56, 128, 3, 2, 1},
    {"resnet", 64, 56, 128, 1, 2, 1},    {"resnet", 128, 28, 128, 3, 1, 1},
    {"resnet", 128, 28, 256, 3, 2, 1},   {"resnet", 128, 28, 256, 1, 2, 1},
    {"resnet", 256, 14, 256, 3, 1, 1},   {"resnet", 256, 14, 512, 3, 2, 1},
    {"resnet", 256, 14, 512, 1, 2, 1},   {"resnet", 512, 7, 512, 3, 1, 1},
    {"mobilenet", 3, 224, 32, 3, 2, 1}};

// The blocks of MobileNetV2: channels in, their factor, channels out, size, stride.
constexpr std::int64_t kMobileBlocks[][5] = {
    {32, 1, 16, 112, 1}, {16, 6, 24, 112, 2}, {24, 6, 24, 56, 1},  {24, 6, 32, 56, 2},
    {32, 6, 32, 28, 1},  {32, 6, 64, 28, 2},  {64, 6, 64, 14, 1},  {64, 6, 96, 14, 1},
    {96, 6, 96, 14, 1},  {96, 6, 160, 14, 2}, {160, 6, 160, 7, 1}, {160, 6, 320, 7, 1}};

std::string name_of(const ConvLayer& c, std::int64_t batch) {
  const auto text = [](std::int64_t number) { return std::to_string(number); };
  return "conv2d " + std::string(c.name) + (c.name[0] != '\0' ? " " : "") + text(batch) + "x" +
         text(c.in) + "x" + text(c.size) + "x" + text(c.size) + " -> " + text(c.out) + ", " +
         text(c.kernel) + "x" + text(c.kernel) + " stride " + text(c.stride) +
         (c.groups > 1 ? " groups" : "");
}

#ifdef TERN_MODULE
/// Prints how the CPU computes the layer and its two gradients.
void print_ways(const char* name, const ConvLayer& c, const torch::Tensor& input,
                const torch::Tensor& weight, const torch::Tensor& result) {
  namespace kernels = tern::kernels;
  std::fprintf(stderr, "%s:", name);
  for (const auto op : {kernels::ConvolutionOp::kForward, kernels::ConvolutionOp::kInputGradient,
                        kernels::ConvolutionOp::kWeightGradient}) {
    const char* algorithm = "as float32";
    auto x = input.detach().clone(), w = weight.detach().clone(), y = result.detach().clone();
    kernels::ConvolutionArgs args{};
    args.op = op;
    args.dtype = x.dtype();
    args.channels_last = x.is_contiguous() ? 0 : 1;
    args.batch = x.size(0);
    args.groups = c.groups;
    args.inputs = c.in / c.groups;
    args.outputs = c.out / c.groups;
    for (int d = 0; d < 3; ++d) {
      args.in[d] = d == 0 ? 1 : c.size;
      args.out_sizes[d] = d == 0 ? 1 : y.size(2);
      args.kernel[d] = d == 0 ? 1 : c.kernel;
      args.stride[d] = d == 0 ? 1 : c.stride;
      args.padding[d] = d == 0 ? 0 : c.kernel / 2;
      args.dilation[d] = 1;
    }
    args.input = x.data_ptr();
    args.weight = w.data_ptr();
    args.gradient = y.data_ptr();
    args.algorithm = &algorithm;
    args.out = op == kernels::ConvolutionOp::kForward         ? y.data_ptr()
               : op == kernels::ConvolutionOp::kInputGradient ? x.data_ptr()
                                                              : w.data_ptr();
    if (op == kernels::ConvolutionOp::kForward) args.gradient = nullptr;
    if (op == kernels::ConvolutionOp::kInputGradient) args.input = nullptr;
    if (op == kernels::ConvolutionOp::kWeightGradient) args.weight = nullptr;
    kernels::run("convolution", x.device(), x.dtype(), args);
    std::fprintf(stderr, "%s%s", op == kernels::ConvolutionOp::kForward ? " " : "; ", algorithm);
  }
  std::fprintf(stderr, "\n");
}
#endif

void measure(const ConvLayer& c, std::int64_t batch, torch::MemoryFormat format,
             torch::ScalarType dtype) {
  torch::nn::Conv2d layer(torch::nn::Conv2dOptions(c.in, c.out, c.kernel)
                              .stride(c.stride)
                              .padding(c.kernel / 2)
                              .groups(c.groups));
  layer->to(dtype);
  layer->weight.set_data(layer->weight.contiguous(format));
  auto input =
      torch::randn({batch, c.in, c.size, c.size}).to(dtype).contiguous(format).requires_grad_(true);
  const auto gradient = torch::randn_like(layer->forward(input));
  const std::string name = name_of(c, batch) + (dtype == torch::kFloat ? "" : ", bfloat16") +
                           (format == torch::MemoryFormat::Contiguous ? "" : ", channels last");
#ifdef TERN_MODULE
  if (dtype == torch::kFloat) print_ways(name.c_str(), c, input, layer->weight, gradient);
#endif
  bench::report((name + ", forward").c_str(), [&] {
    const torch::NoGradGuard no_grad;
    layer->forward(input);
  });
  bench::report((name + ", forward + backward").c_str(), [&] {
    layer->zero_grad();
    input.mutable_grad().reset();
    layer->forward(input).backward(gradient);
  });
}

}  // namespace

int main(int argc, char** argv) {
  torch::set_num_threads(bench::threads(argc, argv));
  std::vector<ConvLayer> layers(std::begin(kConvLayers), std::end(kConvLayers));
  for (const auto& [in, factor, out, size, stride] : kMobileBlocks) {
    const std::int64_t wide = in * factor;
    if (factor > 1) layers.push_back({"mobilenet", in, size, wide, 1, 1, 1});
    layers.push_back({"mobilenet", wide, size, wide, 3, stride, wide});
    layers.push_back({"mobilenet", wide, size / stride, out, 1, 1, 1});
  }
  layers.push_back({"mobilenet", 320, 7, 1280, 1, 1, 1});
  for (const ConvLayer& c : layers) {
    // All lines take longer than the time that run.py has for all programs.
    const bool is_all = std::getenv("CONV_ALL") != nullptr;
    const bool is_alone = c.name[0] == '\0' || c.name[0] == 'd';
    for (const std::int64_t batch : {1, 16}) {
      if (is_alone ? batch == 1 : batch == 16 && !is_all) continue;
      for (const auto format :
           {torch::MemoryFormat::Contiguous, torch::MemoryFormat::ChannelsLast}) {
        if (format == torch::MemoryFormat::Contiguous || is_all) {
          measure(c, batch, format, torch::kFloat);
        }
      }
      if (is_alone) measure(c, batch, torch::MemoryFormat::Contiguous, torch::kBFloat16);
      if (is_all && batch == 16 && c.name[0] == 'r') {
        measure(c, batch, torch::MemoryFormat::ChannelsLast, torch::kBFloat16);
      }
    }
  }
}
