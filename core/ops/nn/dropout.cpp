#include <cmath>
#include <vector>

#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/ops.h>

namespace tern {
namespace {

// Which elements are dropped together, and what a dropped element becomes.
struct DropoutKind {
  bool by_feature = false, is_alpha = false;
};

Tensor empty_mask(const Tensor& input, bool by_feature) {
  if (!by_feature) return empty_like(input.detach());
  TERN_CHECK(input.dim() >= 2, ShapeError,
             "Feature dropout requires at least 2 dimensions in the input, got ", input.dim());
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(input.dim()), 1);
  sizes[0] = input.size(0);
  sizes[1] = input.size(1);
  return input.new_empty(sizes);
}

// What each element is multiplied with, and what is then added.
struct DropoutNoise {
  Tensor factor, shift;
};

DropoutNoise draw_noise(const Tensor& input, double p, DropoutKind kind) {
  if (p == 1) return {zeros_like(input.detach()), {}};
  const double keep = 1 - p;
  Tensor mask = empty_mask(input, kind.by_feature);
  mask.bernoulli_(keep);
  if (!kind.is_alpha) return {mask.div_(keep), {}};
  constexpr double kAlpha = 1.7580993408473766;  // SELU's scale times its alpha
  const double a = 1 / std::sqrt((kAlpha * kAlpha * p + 1) * keep);
  const Tensor shift = mask.add(-1).mul_(kAlpha * a).add_(kAlpha * a * p);
  return {mask.mul_(a), shift};
}

bool drops(const Tensor& input, double p, bool train) {
  TERN_CHECK(p >= 0 && p <= 1, Error, "dropout probability has to be between 0 and 1, but got ", p);
  return train && p != 0 && input.numel() != 0;
}

Tensor drop(const Tensor& input, double p, bool train, DropoutKind kind) {
  if (!drops(input, p, train)) return input;
  const DropoutNoise noise = draw_noise(input, p, kind);
  const Tensor out = input * noise.factor;
  return noise.shift.defined() ? out + noise.shift : out;
}

Tensor& drop_inplace(Tensor& input, double p, bool train, DropoutKind kind) {
  if (!drops(input, p, train)) return input;
  const DropoutNoise noise = draw_noise(input, p, kind);
  input.mul_(noise.factor);
  return noise.shift.defined() ? input.add_(noise.shift) : input;
}

}  // namespace

Tensor dropout(const Tensor& input, double p, StrictBool train) {
  TERN_OP("dropout", input);
  return drop(input, p, train, {});
}
Tensor& dropout_(Tensor& input, double p, StrictBool train) {
  TERN_OP("dropout_", input);
  return drop_inplace(input, p, train, {});
}

Tensor feature_dropout(const Tensor& input, double p, StrictBool train) {
  TERN_OP("feature_dropout", input);
  return drop(input, p, train, {.by_feature = true});
}
Tensor& feature_dropout_(Tensor& input, double p, StrictBool train) {
  TERN_OP("feature_dropout_", input);
  return drop_inplace(input, p, train, {.by_feature = true});
}

Tensor alpha_dropout(const Tensor& input, double p, StrictBool train) {
  TERN_OP("alpha_dropout", input);
  return drop(input, p, train, {.is_alpha = true});
}
Tensor& alpha_dropout_(Tensor& input, double p, StrictBool train) {
  TERN_OP("alpha_dropout_", input);
  return drop_inplace(input, p, train, {.is_alpha = true});
}

Tensor feature_alpha_dropout(const Tensor& input, double p, StrictBool train) {
  TERN_OP("feature_alpha_dropout", input);
  return drop(input, p, train, {.by_feature = true, .is_alpha = true});
}
Tensor& feature_alpha_dropout_(Tensor& input, double p, StrictBool train) {
  TERN_OP("feature_alpha_dropout_", input);
  return drop_inplace(input, p, train, {.by_feature = true, .is_alpha = true});
}

}  // namespace tern
