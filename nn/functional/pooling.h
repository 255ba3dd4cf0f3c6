#pragma once

#include <tuple>

#include <tern/core/tensor/tensor.h>
#include <tern/nn/options/pooling.h>

// Pooling, with the options of the layers; see tern/core/ops/nn/pooling.h.

namespace tern::nn::functional {

/// Returns the largest element of each window; see tern::max_pool1d().
TERN_API Tensor max_pool1d(const Tensor& input, const MaxPool1dFuncOptions& options);
/// Does the same in two dimensions.
TERN_API Tensor max_pool2d(const Tensor& input, const MaxPool2dFuncOptions& options);
/// Does the same in three dimensions.
TERN_API Tensor max_pool3d(const Tensor& input, const MaxPool3dFuncOptions& options);
/// Does the same and returns the positions of these elements, for max_unpool1d() and others.
TERN_API std::tuple<Tensor, Tensor> max_pool1d_with_indices(const Tensor& input,
                                                            const MaxPool1dFuncOptions& options);
/// Does the same in two dimensions.
TERN_API std::tuple<Tensor, Tensor> max_pool2d_with_indices(const Tensor& input,
                                                            const MaxPool2dFuncOptions& options);
/// Does the same in three dimensions.
TERN_API std::tuple<Tensor, Tensor> max_pool3d_with_indices(const Tensor& input,
                                                            const MaxPool3dFuncOptions& options);
/// Returns the average of each window; see tern::avg_pool1d().
TERN_API Tensor avg_pool1d(const Tensor& input, const AvgPool1dFuncOptions& options);
/// Does the same in two dimensions.
TERN_API Tensor avg_pool2d(const Tensor& input, const AvgPool2dFuncOptions& options);
/// Does the same in three dimensions.
TERN_API Tensor avg_pool3d(const Tensor& input, const AvgPool3dFuncOptions& options);
/// Returns the largest elements of windows that divide the input evenly; see
/// tern::adaptive_max_pool1d().
TERN_API Tensor adaptive_max_pool1d(const Tensor& input,
                                    const AdaptiveMaxPool1dFuncOptions& options);
/// Does the same in two dimensions.
TERN_API Tensor adaptive_max_pool2d(const Tensor& input,
                                    const AdaptiveMaxPool2dFuncOptions& options);
/// Does the same in three dimensions.
TERN_API Tensor adaptive_max_pool3d(const Tensor& input,
                                    const AdaptiveMaxPool3dFuncOptions& options);
/// Does the same and returns the positions of these elements.
TERN_API std::tuple<Tensor, Tensor> adaptive_max_pool1d_with_indices(
    const Tensor& input, const AdaptiveMaxPool1dFuncOptions& options);
/// Does the same in two dimensions.
TERN_API std::tuple<Tensor, Tensor> adaptive_max_pool2d_with_indices(
    const Tensor& input, const AdaptiveMaxPool2dFuncOptions& options);
/// Does the same in three dimensions.
TERN_API std::tuple<Tensor, Tensor> adaptive_max_pool3d_with_indices(
    const Tensor& input, const AdaptiveMaxPool3dFuncOptions& options);
/// Returns the averages of windows that divide the input evenly; see tern::adaptive_avg_pool1d().
TERN_API Tensor adaptive_avg_pool1d(const Tensor& input,
                                    const AdaptiveAvgPool1dFuncOptions& options);
/// Does the same in two dimensions.
TERN_API Tensor adaptive_avg_pool2d(const Tensor& input,
                                    const AdaptiveAvgPool2dFuncOptions& options);
/// Does the same in three dimensions.
TERN_API Tensor adaptive_avg_pool3d(const Tensor& input,
                                    const AdaptiveAvgPool3dFuncOptions& options);
/// Returns the sum of the p-th powers of each window to the power of 1 / p, for p = norm_type. A
/// window that hangs over the end counts as a full one. Throws Error for p = 0.
TERN_API Tensor lp_pool1d(const Tensor& input, const LPPool1dFuncOptions& options);
/// Does the same in two dimensions.
TERN_API Tensor lp_pool2d(const Tensor& input, const LPPool2dFuncOptions& options);
/// Does the same in three dimensions.
TERN_API Tensor lp_pool3d(const Tensor& input, const LPPool3dFuncOptions& options);
/// Returns the largest elements of windows at random distances; see tern::fractional_max_pool2d().
/// Draws the samples unless the options have some. Throws Error unless output_size or output_ratio
/// is set.
TERN_API Tensor fractional_max_pool2d(const Tensor& input,
                                      const FractionalMaxPool2dFuncOptions& options);
/// Does the same in three dimensions.
TERN_API Tensor fractional_max_pool3d(const Tensor& input,
                                      const FractionalMaxPool3dFuncOptions& options);
/// Does the same and returns the positions of these elements.
TERN_API std::tuple<Tensor, Tensor> fractional_max_pool2d_with_indices(
    const Tensor& input, const FractionalMaxPool2dFuncOptions& options);
/// Does the same in three dimensions.
TERN_API std::tuple<Tensor, Tensor> fractional_max_pool3d_with_indices(
    const Tensor& input, const FractionalMaxPool3dFuncOptions& options);
/// Returns zeros with the elements of the input at the positions `indices`, which a max pooling
/// with the same options returned; see tern::max_unpool2d(). Throws Error for an output_size that
/// such a pooling does not lead to.
TERN_API Tensor max_unpool1d(const Tensor& input, const Tensor& indices,
                             const MaxUnpool1dFuncOptions& options);
/// Does the same in two dimensions.
TERN_API Tensor max_unpool2d(const Tensor& input, const Tensor& indices,
                             const MaxUnpool2dFuncOptions& options);
/// Does the same in three dimensions.
TERN_API Tensor max_unpool3d(const Tensor& input, const Tensor& indices,
                             const MaxUnpool3dFuncOptions& options);

}  // namespace tern::nn::functional
