#pragma once

#include <tern/nn/module/stateless.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/activation.h>

// Layers that apply one function. Each result has the input's shape unless the comment says
// otherwise. A layer whose options say `inplace` changes the input and returns it.

namespace tern::nn {

/// Rectified linear unit: max(x, 0), elementwise.
class TERN_API ReLUImpl : public detail::Stateless<ReLUImpl, ReLUOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result.
  Tensor forward(Tensor input);
};
TERN_MODULE(ReLU);

/// min(max(x, 0), 6), elementwise.
class TERN_API ReLU6Impl : public detail::Stateless<ReLU6Impl, ReLU6Options> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result.
  Tensor forward(Tensor input);
};
TERN_MODULE(ReLU6);

/// x where x > 0, else negative_slope * x, elementwise.
class TERN_API LeakyReLUImpl : public detail::Stateless<LeakyReLUImpl, LeakyReLUOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result.
  Tensor forward(Tensor input);
};
TERN_MODULE(LeakyReLU);

/// Exponential linear unit (Clevert et al., 2015): x where x > 0, else alpha * (e^x - 1),
/// elementwise.
class TERN_API ELUImpl : public detail::Stateless<ELUImpl, ELUOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result.
  Tensor forward(Tensor input);
};
TERN_MODULE(ELU);

/// Scaled exponential linear unit (Klambauer et al., 2017), elementwise; see tern::selu().
class TERN_API SELUImpl : public detail::Stateless<SELUImpl, SELUOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result.
  Tensor forward(Tensor input);
};
TERN_MODULE(SELU);

/// x where x > 0, else alpha * (e^(x / alpha) - 1), elementwise (Barron, 2017).
class TERN_API CELUImpl : public detail::Stateless<CELUImpl, CELUOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result.
  Tensor forward(Tensor input);
};
TERN_MODULE(CELU);

/// x * P(X <= x) for a standard normal X, elementwise (Hendrycks and Gimpel, 2016).
class TERN_API GELUImpl : public detail::Stateless<GELUImpl, GELUOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result.
  Tensor forward(const Tensor& input);
};
TERN_MODULE(GELU);

/// x * sigmoid(x), elementwise.
class TERN_API SiLUImpl : public detail::Stateless<SiLUImpl, SiLUOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result.
  Tensor forward(Tensor input);
};
TERN_MODULE(SiLU);

/// x * tanh(log(1 + e^x)), elementwise (Misra, 2019).
class TERN_API MishImpl : public detail::Stateless<MishImpl, MishOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result.
  Tensor forward(Tensor input);
};
TERN_MODULE(Mish);

/// Logistic function: 1 / (1 + e^-x), elementwise.
class TERN_API SigmoidImpl : public detail::Stateless<SigmoidImpl> {
 public:
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result.
  Tensor forward(Tensor input);
};
TERN_MODULE(Sigmoid);

/// log(1 / (1 + e^-x)), elementwise.
class TERN_API LogSigmoidImpl : public detail::Stateless<LogSigmoidImpl> {
 public:
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result.
  Tensor forward(const Tensor& input);
};
TERN_MODULE(LogSigmoid);

/// relu6(x + 3) / 6, elementwise.
class TERN_API HardsigmoidImpl : public detail::Stateless<HardsigmoidImpl, HardsigmoidOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result.
  Tensor forward(Tensor input);
};
TERN_MODULE(Hardsigmoid);

/// x * relu6(x + 3) / 6, elementwise (Howard et al., 2019).
class TERN_API HardswishImpl : public detail::Stateless<HardswishImpl, HardswishOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result.
  Tensor forward(Tensor input);
};
TERN_MODULE(Hardswish);

/// Hyperbolic tangent, elementwise.
class TERN_API TanhImpl : public detail::Stateless<TanhImpl> {
 public:
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result.
  Tensor forward(Tensor input);
};
TERN_MODULE(Tanh);

/// x - tanh(x), elementwise.
class TERN_API TanhshrinkImpl : public detail::Stateless<TanhshrinkImpl> {
 public:
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result.
  Tensor forward(const Tensor& input);
};
TERN_MODULE(Tanhshrink);

/// x limited to [min_val, max_val], elementwise.
class TERN_API HardtanhImpl : public detail::Stateless<HardtanhImpl, HardtanhOptions> {
 public:
  /// Makes the module. Throws Error unless max_val is greater than min_val.
  explicit HardtanhImpl(const HardtanhOptions& options_ = {});
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result.
  Tensor forward(Tensor input);
};
TERN_MODULE(Hardtanh);

/// 0 where |x| <= lambda, else x, elementwise.
class TERN_API HardshrinkImpl : public detail::Stateless<HardshrinkImpl, HardshrinkOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result.
  Tensor forward(const Tensor& input);
};
TERN_MODULE(Hardshrink);

/// x moved towards 0 by lambda, and 0 where |x| <= lambda, elementwise.
class TERN_API SoftshrinkImpl : public detail::Stateless<SoftshrinkImpl, SoftshrinkOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result.
  Tensor forward(const Tensor& input);
};
TERN_MODULE(Softshrink);

/// log(1 + e^(beta x)) / beta, elementwise; a smooth ReLU.
class TERN_API SoftplusImpl : public detail::Stateless<SoftplusImpl, SoftplusOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result.
  Tensor forward(const Tensor& input);
};
TERN_MODULE(Softplus);

/// x / (1 + |x|), elementwise.
class TERN_API SoftsignImpl : public detail::Stateless<SoftsignImpl> {
 public:
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result.
  Tensor forward(const Tensor& input);
};
TERN_MODULE(Softsign);

/// x where x > threshold, else value, elementwise.
class TERN_API ThresholdImpl : public detail::Stateless<ThresholdImpl, ThresholdOptions> {
 public:
  using Stateless::Stateless;
  /// Sets both numbers.
  ThresholdImpl(double threshold, double value);
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result.
  Tensor forward(Tensor input);
};
TERN_MODULE(Threshold);

/// Gated linear unit (Dauphin et al., 2017): a * sigmoid(b), where a and b are the halves of the
/// input along `dim`.
///
/// Shape: `dim` becomes half as long
class TERN_API GLUImpl : public detail::Stateless<GLUImpl, GLUOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result.
  Tensor forward(const Tensor& input);
};
TERN_MODULE(GLU);

/// e^x / sum(e^x) along `dim`, computed without overflow.
class TERN_API SoftmaxImpl : public detail::Stateless<SoftmaxImpl, SoftmaxOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result.
  Tensor forward(const Tensor& input);
};
TERN_MODULE(Softmax);

/// Softmax of -x along `dim`.
class TERN_API SoftminImpl : public detail::Stateless<SoftminImpl, SoftminOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result.
  Tensor forward(const Tensor& input);
};
TERN_MODULE(Softmin);

/// log(softmax(x)) along `dim`, computed without overflow.
class TERN_API LogSoftmaxImpl : public detail::Stateless<LogSoftmaxImpl, LogSoftmaxOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result.
  Tensor forward(const Tensor& input);
};
TERN_MODULE(LogSoftmax);

/// Softmax over the channels at each place of an image.
///
/// Shape: [N, C, H, W] or [C, H, W]
class TERN_API Softmax2dImpl : public detail::Stateless<Softmax2dImpl> {
 public:
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result.
  Tensor forward(const Tensor& input);
};
TERN_MODULE(Softmax2d);

/// Leaky ReLU whose slopes are drawn from [lower, upper) in training and are the mean of both in
/// evaluation (Xu et al., 2015).
class TERN_API RReLUImpl : public detail::Stateless<RReLUImpl, RReLUOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result.
  Tensor forward(Tensor input);
};
TERN_MODULE(RReLU);

/// Leaky ReLU with learned slopes (He et al., 2015): x where x > 0, else weight * x.
///
/// Parameters: weight [num_parameters]
class TERN_API PReLUImpl : public Cloneable<PReLUImpl> {
 public:
  /// Makes the module and registers the slopes.
  explicit PReLUImpl(const PReLUOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the result. Throws Error unless there is one slope, or one for each channel.
  Tensor forward(const Tensor& input);

  /// The options given to the constructor.
  PReLUOptions options;
  /// The slopes.
  Tensor weight;
};
TERN_MODULE(PReLU);

}  // namespace tern::nn
