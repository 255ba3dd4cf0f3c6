#include <algorithm>

#include <tern/core/ops/ops.h>
#include <tern/nn/models/detail/parts.h>
#include <tern/nn/models/mobilenet_v2.h>
#include <tern/nn/modules/activation.h>
#include <tern/nn/modules/batch_norm.h>
#include <tern/nn/modules/dropout.h>
#include <tern/nn/modules/linear.h>
#include <tern/nn/modules/pooling.h>

namespace tern::models {

namespace {

nn::Sequential make_conv_norm(std::int64_t in, std::int64_t out, std::int64_t kernel,
                              std::int64_t stride, std::int64_t groups) {
  return nn::Sequential{detail::make_conv(in, out, kernel, stride, groups), nn::BatchNorm2d(out),
                        nn::ReLU6(nn::ReLU6Options(true))};
}

/// More channels, a depthwise convolution, and fewer channels again.
class InvertedResidual : public nn::Cloneable<InvertedResidual> {
 public:
  InvertedResidual(std::int64_t in, std::int64_t out, std::int64_t stride, std::int64_t expansion)
      : Cloneable("tern::models::InvertedResidual"),
        in_(in),
        out_(out),
        stride_(stride),
        expansion_(expansion) {
    InvertedResidual::reset();
  }

  void reset() override {
    const std::int64_t hidden = in_ * expansion_;
    conv_ = nn::Sequential();
    if (expansion_ != 1) conv_->push_back(make_conv_norm(in_, hidden, 1, 1, 1));
    conv_->push_back(make_conv_norm(hidden, hidden, 3, stride_, hidden));
    conv_->push_back(detail::make_conv(hidden, out_, 1));
    conv_->push_back(nn::BatchNorm2d(out_));
    register_module("conv", conv_);
  }

  Tensor forward(const Tensor& x) {
    const bool is_residual = stride_ == 1 && in_ == out_;
    return is_residual ? x + conv_(x) : conv_(x);
  }

 private:
  std::int64_t in_, out_, stride_, expansion_;
  nn::Sequential conv_{nullptr};
};

/// Rounds to a multiple of `divisor`, but not down by more than a tenth.
std::int64_t round_channels(double channels, std::int64_t divisor) {
  const auto rounded =
      static_cast<std::int64_t>(channels + static_cast<double>(divisor) / 2) / divisor * divisor;
  const std::int64_t result = std::max(divisor, rounded);
  return static_cast<double>(result) < 0.9 * channels ? result + divisor : result;
}

struct MobileStage {
  std::int64_t expansion, channels, blocks, stride;
};
constexpr MobileStage kMobileStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2},
                                         {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2},
                                         {6, 320, 1, 1}};

}  // namespace

MobileNetV2Impl::MobileNetV2Impl(const MobileNetV2Options& options_) : options(options_) {
  MobileNetV2Impl::reset();
}

void MobileNetV2Impl::reset() {
  TERN_CHECK(options.width_mult() > 0 && options.round_nearest() > 0, Error,
             "MobileNetV2: width_mult and round_nearest must be positive, got ",
             options.width_mult(), " and ", options.round_nearest());
  const auto scaled = [&](std::int64_t channels, double factor) {
    return round_channels(static_cast<double>(channels) * factor, options.round_nearest());
  };
  std::int64_t in = scaled(32, options.width_mult());
  const std::int64_t last = scaled(1280, std::max(1.0, options.width_mult()));
  features = nn::Sequential();
  features->push_back(make_conv_norm(3, in, 3, 2, 1));
  for (const auto [expansion, channels, blocks, stride] : kMobileStages) {
    const std::int64_t out = scaled(channels, options.width_mult());
    for (std::int64_t k = 0; k < blocks; ++k, in = out) {
      features->push_back(
          std::make_shared<InvertedResidual>(in, out, k == 0 ? stride : 1, expansion));
    }
  }
  features->push_back(make_conv_norm(in, last, 1, 1, 1));
  classifier =
      nn::Sequential{nn::Dropout(options.dropout()), nn::Linear(last, options.num_classes())};
  register_module("features", features);
  register_module("classifier", classifier);
  detail::draw_weights(*this, 0.01);
}

void MobileNetV2Impl::pretty_print(std::ostream& stream) const {
  stream << "tern::models::MobileNetV2";
}

Tensor MobileNetV2Impl::forward(const Tensor& x) {
  return classifier(adaptive_avg_pool2d(features(x), {1, 1}).flatten(1));
}

MobileNetV2 mobilenet_v2(StrictInt num_classes) {
  return MobileNetV2(MobileNetV2Options().num_classes(num_classes));
}

}  // namespace tern::models
