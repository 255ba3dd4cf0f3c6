#pragma once

#include <string_view>

#include <tern/core/tensor/tensor.h>

// New elements around the old ones.

namespace tern {

/// Returns a copy with elements of `value` added before and after the elements of the last
/// dimensions: `pad` holds two numbers for each dimension, the last dimension first. Negative
/// numbers remove elements. Throws ShapeError for an odd or too long list and for negative results.
///
/// Shape: [a, b] -> [3 + a + 4, 1 + b + 2] with pad = {1, 2, 3, 4}
TERN_API Tensor constant_pad_nd(const Tensor& input, IntArrayRef pad, const Scalar& value = 0);
/// Adds elements before and after the elements of the last dimensions, as constant_pad_nd() does.
/// The new elements are those of `mode`: "constant" takes `value` (0 by default), "reflect" goes
/// back from the border without repeating it, "replicate" repeats the border, and "circular" goes
/// on at the other end. Negative numbers remove elements: before "circular" pads, after the other
/// modes do. Modes other than "constant" pad the last one, two or three of at most that many
/// dimensions and one or two in front. Throws ShapeError when the numbers do not fit,
/// NotImplementedError for another mode or number of dimensions.
///
/// Shape: [a, b] -> [a, 1 + b + 2] with pad = {1, 2}
TERN_API Tensor pad(const Tensor& input, IntArrayRef pad, std::string_view mode = "constant",
                    std::optional<double> value = std::nullopt);

}  // namespace tern
