#pragma once

#include <tern/nn/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/linear.h>

namespace tern::nn {

/// Returns its input. Takes any arguments and ignores them, to stand in for another module.
class TERN_API IdentityImpl : public Cloneable<IdentityImpl> {
 public:
  IdentityImpl() = default;
  template <class... Ignored>
  explicit IdentityImpl(const Ignored&...) {}
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(Tensor input) { return input; }
};
TERN_MODULE(Identity);

/// y = x W^T + b.
///
/// Shape:      [..., in_features] -> [..., out_features].
/// Parameters: weight [out_features, in_features], bias [out_features]; both start uniform within
///             1 / sqrt(in_features).
class TERN_API LinearImpl : public Cloneable<LinearImpl> {
 public:
  LinearImpl(std::int64_t in_features, std::int64_t out_features)
      : LinearImpl(LinearOptions(in_features, out_features)) {}
  explicit LinearImpl(const LinearOptions& options_);

  void reset() override;
  /// Draws new parameters.
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);

  LinearOptions options;
  Tensor weight;
  Tensor bias;
};
TERN_MODULE(Linear);

/// Makes the dimensions start_dim to end_dim one; by default all but the first.
class TERN_API FlattenImpl : public Cloneable<FlattenImpl> {
 public:
  explicit FlattenImpl(const FlattenOptions& options_ = {}) : options(options_) {}
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  Tensor forward(const Tensor& input);

  FlattenOptions options;
};
TERN_MODULE(Flatten);

}  // namespace tern::nn
