#include <tern/core/ops/nn/pixel_shuffle.h>
#include <tern/nn/detail/printing.h>
#include <tern/nn/modules/pixel_shuffle.h>

namespace tern::nn {

PixelShuffleImpl::PixelShuffleImpl(const PixelShuffleOptions& options_) : options(options_) {}

void PixelShuffleImpl::pretty_print(std::ostream& stream) const {
  detail::print_to(stream,
                   {"tern::nn::PixelShuffle(upscale_factor=", options.upscale_factor(), ')'});
}
Tensor PixelShuffleImpl::forward(const Tensor& input) {
  return pixel_shuffle(input, options.upscale_factor());
}

PixelUnshuffleImpl::PixelUnshuffleImpl(const PixelUnshuffleOptions& options_) : options(options_) {}

void PixelUnshuffleImpl::pretty_print(std::ostream& stream) const {
  detail::print_to(stream,
                   {"tern::nn::PixelUnshuffle(downscale_factor=", options.downscale_factor(), ')'});
}
Tensor PixelUnshuffleImpl::forward(const Tensor& input) {
  return pixel_unshuffle(input, options.downscale_factor());
}

ChannelShuffleImpl::ChannelShuffleImpl(const ChannelShuffleOptions& options_) : options(options_) {}

void ChannelShuffleImpl::pretty_print(std::ostream& stream) const {
  detail::print_to(stream, {"tern::nn::ChannelShuffle(groups=", options.groups(), ')'});
}
Tensor ChannelShuffleImpl::forward(const Tensor& input) {
  return channel_shuffle(input, options.groups());
}

}  // namespace tern::nn
