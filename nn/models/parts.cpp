#include <tern/nn/init.h>
#include <tern/nn/models/detail/parts.h>
#include <tern/nn/modules/linear.h>

namespace tern::models::detail {

nn::Conv2d make_conv(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride,
                     std::int64_t groups) {
  return nn::Conv2d(nn::Conv2dOptions(in, out, kernel)
                        .stride(stride)
                        .padding(kernel / 2)
                        .groups(groups)
                        .bias(false));
}

void draw_weights(nn::Module& net, double linear_std) {
  for (const std::shared_ptr<nn::Module>& module : net.modules(/*include_self=*/false)) {
    if (auto* conv = module->as<nn::Conv2d>()) {
      nn::init::kaiming_normal_(conv->weight, 0, kFanOut, kReLU);
      if (conv->bias.defined()) nn::init::zeros_(conv->bias);
    } else if (auto* linear = module->as<nn::Linear>(); linear != nullptr && linear_std != 0) {
      nn::init::normal_(linear->weight, 0, linear_std);
      nn::init::zeros_(linear->bias);
    }
  }
}

}  // namespace tern::models::detail
