#pragma once

#include <cstdint>

#include <tern/core/tensor/tensor.h>

// Helpers of the image operations.

namespace tern::data::transforms::detail {

/// Checks that a tensor is an image on the CPU: [C, H, W], uint8 or float32, not empty.
void check_image(const char* op, const Tensor& image);
/// Checks that an image has 1 or 3 channels.
void check_channels(const char* op, const Tensor& image);
/// Checks height and width: each from 1 to 2^20.
void check_size(const char* op, std::int64_t height, std::int64_t width);
/// Returns an empty image with the dtype of `like`.
Tensor make_image(const Tensor& like, std::int64_t channels, std::int64_t height,
                  std::int64_t width);
/// Returns the image with consecutive pixels in each row. Rows and channels may be apart.
Tensor with_dense_rows(const Tensor& image);

/// Resizes by a separable linear filter, or without `antialias` by linear interpolation.
Tensor resize_bilinear(const Tensor& image, std::int64_t height, std::int64_t width,
                       bool antialias);
/// Takes the pixel at the rounded position.
Tensor resize_nearest(const Tensor& image, std::int64_t height, std::int64_t width);

}  // namespace tern::data::transforms::detail
