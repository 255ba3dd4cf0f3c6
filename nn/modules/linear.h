#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <tern/core/base/block_format.h>
#include <tern/core/ops/linalg/matmul.h>
#include <tern/core/ops/linalg/products.h>
#include <tern/core/tensor/options.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/options_arg.h>

namespace tern::nn {

/// Options of Linear.
struct LinearOptions {
  /// Sets both sizes.
  LinearOptions(StrictInt in_features, StrictInt out_features)
      : in_features_(in_features), out_features_(out_features) {}
  /// The last size of the input.
  TERN_ARG(std::int64_t, in_features);
  /// The last size of the result.
  TERN_ARG(std::int64_t, out_features);
  /// True: the module has a bias.
  TERN_ARG(bool, bias) = true;
  /// The device of the parameters; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the parameters; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};

/// Options of Bilinear.
struct BilinearOptions {
  /// Sets the sizes.
  BilinearOptions(StrictInt in1_features, StrictInt in2_features, StrictInt out_features)
      : in1_features_(in1_features), in2_features_(in2_features), out_features_(out_features) {}
  /// The last size of the first input.
  TERN_ARG(std::int64_t, in1_features);
  /// The last size of the second input.
  TERN_ARG(std::int64_t, in2_features);
  /// The last size of the result.
  TERN_ARG(std::int64_t, out_features);
  /// True: the module has a bias.
  TERN_ARG(bool, bias) = true;
  /// The device of the parameters; the default device unless given.
  TERN_ARG(std::optional<Device>, device);
  /// The dtype of the parameters; the default dtype unless given.
  TERN_ARG(std::optional<ScalarType>, dtype);
};

/// Options of Flatten.
struct FlattenOptions {
  /// The first dimension to flatten; negative numbers count from the end.
  TERN_ARG(std::int64_t, start_dim) = 1;
  /// The last dimension to flatten; negative numbers count from the end.
  TERN_ARG(std::int64_t, end_dim) = -1;
};

/// Options of Unflatten.
struct UnflattenOptions {
  /// Sets the dimension and the sizes that replace it.
  UnflattenOptions(StrictInt dim, std::vector<std::int64_t> sizes)
      : dim_(dim), sizes_(std::move(sizes)) {}
  /// The dimension to cut; negative numbers count from the end.
  TERN_ARG(std::int64_t, dim);
  /// The sizes that replace the dimension; one may be -1 and is inferred.
  TERN_ARG(std::vector<std::int64_t>, sizes);
};

namespace functional {

/// Returns input x weight^T + bias; see tern::linear().
///
/// Shape: input [..., in], weight [out, in], bias [out] or undefined -> [..., out]
inline Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = {}) {
  return tern::linear(input, weight, bias);
}
/// Returns input1^T W_k input2 + bias_k for each matrix W_k of `weight`; see tern::bilinear().
///
/// Shape: input1 [..., in1], input2 [..., in2], weight [out, in1, in2], bias [out] or undefined ->
/// [..., out]
inline Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                       const Tensor& bias = {}) {
  return tern::bilinear(input1, input2, weight, bias);
}

}  // namespace functional

/// Returns its input; stands where another module may stand. The constructor accepts any arguments
/// and ignores them.
class TERN_API IdentityImpl : public Cloneable<IdentityImpl> {
 public:
  /// Makes the module.
  IdentityImpl() = default;
  /// Ignores the arguments.
  template <class... Ignored>
  explicit IdentityImpl(const Ignored&...) {}
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  /// Returns the input.
  Tensor forward(Tensor input) { return input; }
};
TERN_MODULE(Identity);

/// Affine map: y = x W^T + b.
///
/// Shape: [..., in_features] -> [..., out_features]
/// Parameters: weight [out_features, in_features] and bias [out_features], if bias; both start
/// uniform within +-1 / sqrt(in_features)
/// Buffers: weight_q8_0 and so on in place of weight, after nn::quantize_()
///
/// Example:
///   nn::Linear fc(784, 400);
///   nn::Linear plain(nn::LinearOptions(784, 400).bias(false).device("cuda:0"));
class TERN_API LinearImpl : public Cloneable<LinearImpl> {
 public:
  /// Makes the parameters.
  LinearImpl(StrictInt in_features, StrictInt out_features);
  /// Makes the parameters.
  explicit LinearImpl(const LinearOptions& options_);

  void reset() override;
  /// Draws new parameters.
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  /// Returns input x weight^T + bias. Throws ShapeError unless the last size of the input is
  /// in_features, DTypeError unless input and weight have the same dtype.
  Tensor forward(const Tensor& input);

  /// Replaces the parameter `weight` by a buffer of ggml's blocks, as nn::quantize_() does, for
  /// blocks that a file holds. The module takes `blocks` itself, not a copy. A second call replaces
  /// the buffer.
  ///
  /// Throws: DTypeError unless the blocks are uint8, ShapeError unless they are the blocks of
  /// out_features rows of in_features elements, Error if the weight has blocks of another format.
  void set_quantized_weight(const Tensor& blocks, BlockFormat format);
  /// Returns the format of a quantised weight; nothing for a parameter.
  std::optional<BlockFormat> weight_format() const { return format_; }

  /// The options given to the constructor.
  LinearOptions options;
  /// The parameter [out_features, in_features]; undefined if the weight is quantised.
  Tensor weight;
  /// The parameter [out_features]; undefined without bias.
  Tensor bias;
  /// A quantised weight: the uint8 buffer [out_features, bytes of a row], named "weight_q8_0" for
  /// Q8_0. Undefined for a parameter.
  Tensor weight_blocks;

 protected:
  /// Registers nothing.
  LinearImpl(const LinearOptions& options_, detail::Unregistered);

 private:
  std::optional<BlockFormat> format_;
};
TERN_MODULE(Linear);

/// Bilinear map of two vectors: y_k = x1^T W_k x2 + b_k.
///
/// Shape: [..., in1_features] and [..., in2_features] -> [..., out_features]
/// Parameters: weight [out_features, in1_features, in2_features] and bias [out_features], if bias;
/// both start uniform within +-1 / sqrt(in1_features)
class TERN_API BilinearImpl : public Cloneable<BilinearImpl> {
 public:
  /// Makes the parameters.
  BilinearImpl(StrictInt in1_features, StrictInt in2_features, StrictInt out_features);
  /// Makes the parameters. Throws ShapeError unless in1_features is positive and the others are not
  /// negative.
  explicit BilinearImpl(const BilinearOptions& options_);

  void reset() override;
  /// Draws new parameters.
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  /// Returns the map of each pair of vectors. Throws ShapeError unless the last sizes fit and the
  /// others are equal.
  Tensor forward(const Tensor& input1, const Tensor& input2);

  /// The options given to the constructor.
  BilinearOptions options;
  /// The parameter [out_features, in1_features, in2_features].
  Tensor weight;
  /// The parameter [out_features]; undefined without bias.
  Tensor bias;
};
TERN_MODULE(Bilinear);

/// Flattens the dimensions start_dim to end_dim into one; by default all but the first.
///
/// Shape: [N, a, b] -> [N, a * b]
class TERN_API FlattenImpl : public Cloneable<FlattenImpl> {
 public:
  /// Makes the module.
  explicit FlattenImpl(const FlattenOptions& options_ = {});
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  /// Returns the flattened input: a view where the strides allow it, else a copy.
  Tensor forward(const Tensor& input);

  /// The options given to the constructor.
  FlattenOptions options;
};
TERN_MODULE(Flatten);

/// Cuts one dimension into several, the reverse of Flatten.
///
/// Shape: [N, a * b] -> [N, a, b] with dim = 1, sizes = {a, b}
class TERN_API UnflattenImpl : public Cloneable<UnflattenImpl> {
 public:
  /// Makes the module.
  UnflattenImpl(StrictInt dim, std::vector<std::int64_t> sizes);
  explicit UnflattenImpl(UnflattenOptions options_);
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  /// Returns a view with the new sizes. Throws ShapeError when their product differs from the size
  /// of the dimension.
  Tensor forward(const Tensor& input);

  /// The options given to the constructor.
  UnflattenOptions options;
};
TERN_MODULE(Unflatten);

}  // namespace tern::nn
