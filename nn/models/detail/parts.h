#pragma once

#include <tern/nn/modules/conv.h>

namespace tern::models::detail {

/// Makes a convolution without bias whose padding keeps the extents, up to the stride.
nn::Conv2d make_conv(std::int64_t in, std::int64_t out, std::int64_t kernel,
                     std::int64_t stride = 1, std::int64_t groups = 1);

/// Draws the weights of all convolutions below `net` anew from kaiming_normal_() by fan_out, and of
/// its linear layers from a normal distribution of `linear_std` unless that is 0. The biases of
/// layers that are drawn become 0.
void draw_weights(nn::Module& net, double linear_std = 0);

}  // namespace tern::models::detail
