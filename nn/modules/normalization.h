#pragma once

#include <cstdint>
#include <optional>

#include <tern/core/tensor/tensor.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/options_arg.h>

namespace tern::nn {

/// Options of LocalResponseNorm.
struct LocalResponseNormOptions {
  /// Sets size.
  template <tern::detail::IntArgument T>
  LocalResponseNormOptions(const T& size) : size_(size) {}
  /// The number of neighbouring channels that are averaged.
  TERN_ARG(std::int64_t, size);
  /// The factor of the average.
  TERN_ARG(double, alpha) = 1e-4;
  /// The exponent.
  TERN_ARG(double, beta) = 0.75;
  /// A number added to the average.
  TERN_ARG(double, k) = 1;
};
/// Options of CrossMapLRN2d.
using CrossMapLRN2dOptions = LocalResponseNormOptions;

namespace functional {

/// Options of nn::functional::local_response_norm; the same as those of the layer.
using LocalResponseNormFuncOptions = LocalResponseNormOptions;

/// Options of nn::functional::normalize.
struct NormalizeFuncOptions {
  /// The order of the norm.
  TERN_ARG(double, p) = 2.0;
  /// The dimension of the vectors.
  TERN_ARG(std::int64_t, dim) = 1;
  /// Smaller norms count as this number.
  TERN_ARG(double, eps) = 1e-12;
  /// A tensor for the result, which then has no gradient.
  TERN_ARG(std::optional<Tensor>, out) = std::nullopt;
};

/// Divides vectors by their p-norm, or by eps if the norm is smaller. The vectors lie along
/// dimension `dim`. Floating dtypes.
TERN_API Tensor normalize(const Tensor& input, const NormalizeFuncOptions& options = {});

/// Local response normalisation (Krizhevsky et al., 2012): x / (k + alpha * a)^beta, where a is the
/// average of the squares of `size` neighbouring channels; channels that do not exist count as 0.
///
/// Shape: [N, C, ...] with at least three dimensions; the result has the same shape
/// Throws: ShapeError for fewer dimensions, Error unless size is positive.
TERN_API Tensor local_response_norm(const Tensor& input,
                                    const LocalResponseNormFuncOptions& options);

}  // namespace functional

/// Local response normalisation (Krizhevsky et al., 2012): x / (k + alpha * a)^beta, where a is the
/// average of the squares of `size` neighbouring channels.
///
/// Shape: [N, C, ...] with at least three dimensions; the result has the same shape
class TERN_API LocalResponseNormImpl : public Cloneable<LocalResponseNormImpl> {
 public:
  /// Makes the module; a bare number is size.
  explicit LocalResponseNormImpl(const LocalResponseNormOptions& options_);
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  /// Returns the normalised input. Throws ShapeError for fewer than three dimensions.
  Tensor forward(const Tensor& input);

  /// The options given to the constructor.
  LocalResponseNormOptions options;
};
TERN_MODULE(LocalResponseNorm);

/// Local response normalisation as in Torch 7: x / (k + alpha / size * s)^beta, where s is the sum
/// of the squares of the channel itself and of (size - 1) / 2 channels on both sides. The square of
/// channel 0 is part of every s, as in PyTorch; the gradient is that of this formula.
///
/// Shape: [N, C, H, W]; the result has the same shape
class TERN_API CrossMapLRN2dImpl : public Cloneable<CrossMapLRN2dImpl> {
 public:
  /// Makes the module; a bare number is size.
  explicit CrossMapLRN2dImpl(const CrossMapLRN2dOptions& options_);
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  /// Returns the normalised input. Throws ShapeError for another shape.
  Tensor forward(const Tensor& input);

  /// The options given to the constructor.
  CrossMapLRN2dOptions options;
};
TERN_MODULE(CrossMapLRN2d);

}  // namespace tern::nn
