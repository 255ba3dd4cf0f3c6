#include <tern/core/ops/ops.h>
#include <tern/nn/models/detail/parts.h>
#include <tern/nn/models/unet.h>
#include <tern/nn/modules/activation.h>
#include <tern/nn/modules/batch_norm.h>
#include <tern/nn/modules/pooling.h>
#include <tern/nn/modules/upsampling.h>

namespace tern::models {

namespace {

nn::Sequential make_double_conv(std::int64_t in, std::int64_t middle, std::int64_t out) {
  nn::Sequential layers{detail::make_conv(in, middle, 3),  nn::BatchNorm2d(middle), nn::ReLU(true),
                        detail::make_conv(middle, out, 3), nn::BatchNorm2d(out),    nn::ReLU(true)};
  return nn::Sequential({{"double_conv", layers}});
}

nn::Sequential make_down(std::int64_t in, std::int64_t out) {
  nn::Sequential layers{nn::MaxPool2d(2), make_double_conv(in, out, out)};
  return nn::Sequential({{"maxpool_conv", layers}});
}

nn::Sequential make_up(std::int64_t in, std::int64_t out, bool is_bilinear) {
  nn::Sequential layers;
  if (is_bilinear) {
    layers->push_back("up", nn::Upsample(nn::UpsampleOptions()
                                             .scale_factor(std::vector<double>{2, 2})
                                             .mode(kBilinear)
                                             .align_corners(true)));
  } else {
    layers->push_back("up",
                      nn::ConvTranspose2d(nn::ConvTranspose2dOptions(in, in / 2, 2).stride(2)));
  }
  layers->push_back("conv", make_double_conv(in, is_bilinear ? in / 2 : out, out));
  return layers;
}

/// Enlarges `x`, puts zeros around it up to the extents of `skip`, and joins both.
Tensor go_up(const nn::Sequential& layers, const Tensor& x, const Tensor& skip) {
  Tensor large = layers->begin()->forward(x);
  const std::int64_t rows = skip.size(2) - large.size(2), columns = skip.size(3) - large.size(3);
  if (rows != 0 || columns != 0) {
    large = pad(large, {columns / 2, columns - columns / 2, rows / 2, rows - rows / 2});
  }
  return (layers->begin() + 1)->forward(cat({skip, large}, 1));
}

}  // namespace

UNetImpl::UNetImpl(const UNetOptions& options_) : options(options_) { UNetImpl::reset(); }

void UNetImpl::reset() {
  const std::int64_t width = options.width();
  TERN_CHECK(options.n_channels() > 0 && options.n_classes() > 0 && width > 0, Error,
             "UNet: n_channels, n_classes and width must be positive, got ", options.n_channels(),
             ", ", options.n_classes(), " and ", width);
  const bool is_bilinear = options.bilinear();
  const std::int64_t factor = is_bilinear ? 2 : 1;
  inc = register_module("inc", make_double_conv(options.n_channels(), width, width));
  down1 = register_module("down1", make_down(width, width * 2));
  down2 = register_module("down2", make_down(width * 2, width * 4));
  down3 = register_module("down3", make_down(width * 4, width * 8));
  down4 = register_module("down4", make_down(width * 8, width * 16 / factor));
  up1 = register_module("up1", make_up(width * 16, width * 8 / factor, is_bilinear));
  up2 = register_module("up2", make_up(width * 8, width * 4 / factor, is_bilinear));
  up3 = register_module("up3", make_up(width * 4, width * 2 / factor, is_bilinear));
  up4 = register_module("up4", make_up(width * 2, width, is_bilinear));
  nn::Sequential classes({{"conv", nn::Conv2d(width, options.n_classes(), 1)}});
  outc = register_module("outc", classes);
}

void UNetImpl::pretty_print(std::ostream& stream) const { stream << "tern::models::UNet"; }

Tensor UNetImpl::forward(const Tensor& x) {
  const Tensor level1 = inc(x);
  const Tensor level2 = down1(level1);
  const Tensor level3 = down2(level2);
  const Tensor level4 = down3(level3);
  Tensor result = go_up(up1, down4(level4), level4);
  result = go_up(up2, result, level3);
  result = go_up(up3, result, level2);
  return outc(go_up(up4, result, level1));
}

UNet unet(StrictInt n_channels, StrictInt n_classes) { return UNet(n_channels, n_classes); }

}  // namespace tern::models
