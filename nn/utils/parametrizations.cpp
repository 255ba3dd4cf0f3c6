#include <tern/core/autograd/grad_mode.h>
#include <tern/core/base/detail/op_scope.h>
#include <tern/core/ops/ops.h>
#include <tern/nn/detail/parametrized.h>
#include <tern/nn/utils/parametrizations.h>

namespace tern::nn::utils::parametrizations {

namespace {

/// Returns x / max(|x|, eps).
Tensor unit(const Tensor& x, double eps) { return x / x.norm().clamp_min(eps); }

std::int64_t checked_dim(std::int64_t dim, std::int64_t dims) {
  TERN_CHECK(dim >= -dims && dim < dims, IndexError,
             "Dimension out of range (expected to be in range of [", -dims, ", ", dims - 1,
             "] but got ", dim, ")");
  return dim < 0 ? dim + dims : dim;
}

/// Computes g * v / |v|.
class WeightNormImpl : public Cloneable<WeightNormImpl> {
 public:
  explicit WeightNormImpl(std::int64_t dim) : dim_(dim) {}
  void reset() override {}
  void pretty_print(std::ostream& stream) const override { stream << "_WeightNorm()"; }

  Tensor forward(const Tensor& g, const Tensor& v) { return v * (g / lengths(v)); }
  std::vector<Tensor> right_inverse(const Tensor& weight) { return {lengths(weight), weight}; }

 private:
  Tensor lengths(const Tensor& v) const {
    if (dim_ == -1) return v.norm();
    const std::int64_t kept = checked_dim(dim_, v.dim());
    DimVector others;
    for (std::int64_t dim = 0; dim < v.dim(); ++dim) {
      if (dim != kept) others.push_back(dim);
    }
    return others.empty() ? v.abs() : v.norm(2, others, /*keepdim=*/true);
  }

  std::int64_t dim_;
};

/// Divides a weight by an estimate of its largest singular value.
class SpectralNormImpl : public Cloneable<SpectralNormImpl> {
 public:
  SpectralNormImpl(const Tensor& weight, std::int64_t iterations, std::int64_t dim, double eps)
      : iterations_(iterations), dim_(checked_dim(dim, weight.dim())), eps_(eps) {
    TERN_CHECK(
        iterations > 0, Error,
        "Expected n_power_iterations to be positive, but got n_power_iterations=", iterations);
    if (weight.dim() == 1) return;
    const NoGradGuard no_grad;
    const Tensor matrix = matrix_of(weight);
    like_ = matrix.options();
    rows_ = matrix.size(0);
    columns_ = matrix.size(1);
    SpectralNormImpl::reset();
    const Tensor u = empty({rows_}, like_).normal_(0, 1);
    const Tensor v = empty({columns_}, like_).normal_(0, 1);
    u_.copy_(unit(u, eps_));
    v_.copy_(unit(v, eps_));
    iterate(matrix, 15);
  }

  void reset() override {
    if (rows_ == 0 && columns_ == 0) return;
    bind_buffer("_u", u_, empty({rows_}, like_));
    bind_buffer("_v", v_, empty({columns_}, like_));
  }
  void pretty_print(std::ostream& stream) const override { stream << "_SpectralNorm()"; }

  Tensor forward(const Tensor& weight) {
    if (weight.dim() == 1) return unit(weight, eps_);
    const Tensor matrix = matrix_of(weight);
    if (is_training()) iterate(matrix.detach(), iterations_);
    // Copies: the next call changes the vectors before backward reads them.
    const Tensor u = u_.clone(), v = v_.clone();
    return weight / dot(u, mv(matrix, v));
  }
  Tensor right_inverse(const Tensor& value) { return value; }

 private:
  Tensor matrix_of(const Tensor& weight) const { return weight.movedim(dim_, 0).flatten(1); }
  void iterate(const Tensor& matrix, std::int64_t count) {
    const NoGradGuard no_grad;
    for (std::int64_t i = 0; i < count; ++i) {
      u_.copy_(unit(mv(matrix, v_), eps_));
      v_.copy_(unit(mv(matrix.t(), u_), eps_));
    }
  }

  std::int64_t iterations_, dim_;
  double eps_;
  TensorOptions like_;
  std::int64_t rows_ = 0, columns_ = 0;
  Tensor u_, v_;
};

}  // namespace

Module& weight_norm(Module& module, const std::string& name, std::optional<StrictInt> dim) {
  const tern::detail::OpScope scope("weight_norm");
  return parametrize::register_parametrization(
      module, name, std::make_shared<WeightNormImpl>(dim ? std::int64_t{*dim} : -1),
      /*unsafe=*/true);
}

Module& spectral_norm(Module& module, const std::string& name, const SpectralNormOptions& options) {
  const tern::detail::OpScope scope("spectral_norm");
  using nn::detail::ParametrizedMembers;
  Tensor weight;
  bool is_parameter = false;
  if (const ParametrizedMembers::List list = ParametrizedMembers::find(module, name)) {
    weight = list->forward();
  } else if (const Tensor* tensor = ParametrizedMembers::registered(module, name, is_parameter)) {
    weight = *tensor;
  }
  TERN_CHECK(weight.defined(), Error, "Module '", module.name(),
             "' has no parameter or buffer with name '", name, "'");
  const bool is_transposed = module.name().find("ConvTranspose") != std::string::npos;
  return parametrize::register_parametrization(
      module, name,
      std::make_shared<SpectralNormImpl>(weight, options.n_power_iterations(),
                                         options.dim().value_or(is_transposed ? 1 : 0),
                                         options.eps()));
}

}  // namespace tern::nn::utils::parametrizations
