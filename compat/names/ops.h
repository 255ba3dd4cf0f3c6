#pragma once

// Forms of functions that libtorch's C++ has and tern's functions lack: the options of a new tensor
// one by one, a reduction as a number, and others that only programs of libtorch use.

#include <cmath>
#include <concepts>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include <tern/compat/names/at.h>

namespace tern::compat {

/// Returns the options of a new tensor, which libtorch's functions also take one by one.
inline TensorOptions options_of(std::optional<ScalarType> dtype, std::optional<Layout> layout,
                                std::optional<Device> device, std::optional<bool> pin_memory) {
  return TensorOptions().dtype(dtype).layout(layout).device(device).pinned_memory(pin_memory);
}

/// Returns the reduction that the number stands for. Throws Error for another number.
inline Reduction reduction_of(std::int64_t number) {
  TERN_CHECK(number >= 0 && number <= 2, Error, number, " is not a valid value for reduction");
  return static_cast<Reduction>(number);
}

/// Returns the number of a tensor without dimensions.
inline Scalar number_of(const char* function, const char* name, const Tensor& value) {
  TERN_CHECK(value.dim() == 0, Error, function,
             " only supports 0-dimensional start and end tensors, but got ", name, " with ",
             value.dim(), " dimension(s).");
  return value.item();
}

/// Returns the sizes of images after upsampling: `sizes`, or each size times its factor.
inline std::vector<std::int64_t> upsampled_sizes(const Tensor& input,
                                                 std::optional<IntArrayRef> sizes,
                                                 std::optional<ArrayRef<double>> factors) {
  TERN_CHECK(sizes.has_value() != factors.has_value(), Error,
             "Must specify exactly one of output_size and scale_factors");
  if (sizes) return sizes->vec();
  std::vector<std::int64_t> result;
  for (std::size_t i = 0; i < factors->size(); ++i) {
    const auto size = static_cast<double>(input.size(static_cast<std::int64_t>(i) + 2));
    result.push_back(static_cast<std::int64_t>(std::floor(size * (*factors)[i])));
  }
  return result;
}

/// Returns factor `i` if there are factors.
inline std::optional<double> scale_at(std::optional<ArrayRef<double>> factors, std::size_t i) {
  return factors ? std::optional<double>(factors->at(i)) : std::nullopt;
}

/// Satisfied by a list of factors that may be absent, but not by one factor that may be.
template <class T>
concept ScaleFactors = std::is_convertible_v<const T&, std::optional<ArrayRef<double>>> &&
    !std::is_convertible_v<const T&, std::optional<double>>;

/// Satisfied by a T itself: no conversion makes an overload ambiguous.
template <class T, class Wanted>
concept Exactly = std::same_as<T, Wanted>;

/// Returns the bound for the singular `values` [..., k] of the matrices `a`: the larger of atol and
/// rtol times the largest; rtol has the default of linalg_pinv().
inline Tensor bound_of(const Tensor& values, const Tensor& a, const Tensor& atol,
                       const Tensor& rtol) {
  const double epsilon = a.dtype() == ::tern::kDouble ? std::numeric_limits<double>::epsilon()
                                                      : std::numeric_limits<float>::epsilon();
  const Tensor standard = ::tern::full(
      {}, epsilon * static_cast<double>(std::max(a.size(-1), a.size(-2))), values.options());
  Tensor relative = rtol;
  if (!rtol.defined())
    relative = atol.defined() ? ::tern::where(atol.gt(0), ::tern::zeros_like(standard), standard)
                              : standard;
  const Tensor bound = values.amax(-1, true) * relative.unsqueeze(-1);
  return atol.defined() ? ::tern::maximum(bound, atol.to(values.dtype()).unsqueeze(-1)) : bound;
}

}  // namespace tern::compat

namespace c10 {
/// A list that may be absent. tern's ArrayRef converts from it: an absent list is an empty one.
template <class T>
using OptionalArrayRef = std::optional<::tern::ArrayRef<T>>;
/// Sizes or dimensions that may be absent.
using OptionalIntArrayRef = OptionalArrayRef<std::int64_t>;
}  // namespace c10

namespace at {
namespace compat = ::tern::compat;

// Reductions as numbers; see compat::reduction_of().
inline Tensor binary_cross_entropy(const Tensor& self, const Tensor& target, const Tensor& weight,
                                   std::int64_t reduction) {
  return ::tern::binary_cross_entropy(self, target, weight, compat::reduction_of(reduction));
}
inline Tensor binary_cross_entropy_with_logits(const Tensor& self, const Tensor& target,
                                               const Tensor& weight, const Tensor& pos_weight,
                                               std::int64_t reduction) {
  return ::tern::binary_cross_entropy_with_logits(self, target, weight, pos_weight,
                                                  compat::reduction_of(reduction));
}
inline Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2,
                                    const Tensor& target, double margin, std::int64_t reduction) {
  return ::tern::cosine_embedding_loss(input1, input2, target, margin,
                                       compat::reduction_of(reduction));
}
inline Tensor cross_entropy_loss(const Tensor& self, const Tensor& target, const Tensor& weight,
                                 std::int64_t reduction, std::int64_t ignore_index = -100,
                                 double label_smoothing = 0.0) {
  return ::tern::cross_entropy_loss(self, target, weight, compat::reduction_of(reduction),
                                    ignore_index, label_smoothing);
}
inline Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths,
                       IntArrayRef target_lengths, std::int64_t blank, std::int64_t reduction,
                       bool zero_infinity = false) {
  return ::tern::ctc_loss(log_probs, targets, input_lengths, target_lengths, blank,
                          compat::reduction_of(reduction), zero_infinity);
}
inline Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                       const Tensor& target_lengths, std::int64_t blank, std::int64_t reduction,
                       bool zero_infinity = false) {
  return ::tern::ctc_loss(log_probs, targets, input_lengths, target_lengths, blank,
                          compat::reduction_of(reduction), zero_infinity);
}
inline Tensor hinge_embedding_loss(const Tensor& self, const Tensor& target, double margin,
                                   std::int64_t reduction) {
  return ::tern::hinge_embedding_loss(self, target, margin, compat::reduction_of(reduction));
}
inline Tensor huber_loss(const Tensor& self, const Tensor& target, std::int64_t reduction,
                         double delta = 1.0) {
  return ::tern::huber_loss(self, target, compat::reduction_of(reduction), delta);
}
inline Tensor kl_div(const Tensor& self, const Tensor& target, std::int64_t reduction,
                     bool log_target = false) {
  return ::tern::kl_div(self, target, compat::reduction_of(reduction), log_target);
}
inline Tensor l1_loss(const Tensor& self, const Tensor& target, std::int64_t reduction) {
  return ::tern::l1_loss(self, target, compat::reduction_of(reduction));
}
inline Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                                  double margin, std::int64_t reduction) {
  return ::tern::margin_ranking_loss(input1, input2, target, margin,
                                     compat::reduction_of(reduction));
}
inline Tensor mse_loss(const Tensor& self, const Tensor& target, std::int64_t reduction) {
  return ::tern::mse_loss(self, target, compat::reduction_of(reduction));
}
inline Tensor multi_margin_loss(const Tensor& self, const Tensor& target, const Scalar& p,
                                const Scalar& margin, const Tensor& weight,
                                std::int64_t reduction) {
  return ::tern::multi_margin_loss(self, target, p, margin, weight,
                                   compat::reduction_of(reduction));
}
inline Tensor multilabel_margin_loss(const Tensor& self, const Tensor& target,
                                     std::int64_t reduction) {
  return ::tern::multilabel_margin_loss(self, target, compat::reduction_of(reduction));
}
inline Tensor nll_loss(const Tensor& self, const Tensor& target, const Tensor& weight,
                       std::int64_t reduction, std::int64_t ignore_index = -100) {
  return ::tern::nll_loss(self, target, weight, compat::reduction_of(reduction), ignore_index);
}
inline Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input, bool full,
                               double eps, std::int64_t reduction) {
  return ::tern::poisson_nll_loss(input, target, log_input, full, eps,
                                  compat::reduction_of(reduction));
}
inline Tensor smooth_l1_loss(const Tensor& self, const Tensor& target, std::int64_t reduction,
                             double beta = 1.0) {
  return ::tern::smooth_l1_loss(self, target, compat::reduction_of(reduction), beta);
}
inline Tensor soft_margin_loss(const Tensor& self, const Tensor& target, std::int64_t reduction) {
  return ::tern::soft_margin_loss(self, target, compat::reduction_of(reduction));
}
inline Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive,
                                  const Tensor& negative, double margin, double p, double eps,
                                  bool swap, std::int64_t reduction) {
  return ::tern::triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap,
                                     compat::reduction_of(reduction));
}

// Ends that are tensors without dimensions.
inline Tensor linspace(const Tensor& start, const Tensor& end, std::int64_t steps,
                       const TensorOptions& options = {}) {
  return ::tern::linspace(compat::number_of("linspace", "start", start),
                          compat::number_of("linspace", "end", end), steps, options);
}
inline Tensor linspace(const Tensor& start, const Scalar& end, std::int64_t steps,
                       const TensorOptions& options = {}) {
  return ::tern::linspace(compat::number_of("linspace", "start", start), end, steps, options);
}
inline Tensor linspace(const Scalar& start, const Tensor& end, std::int64_t steps,
                       const TensorOptions& options = {}) {
  return ::tern::linspace(start, compat::number_of("linspace", "end", end), steps, options);
}
inline Tensor logspace(const Tensor& start, const Tensor& end, std::int64_t steps,
                       double base = 10.0, const TensorOptions& options = {}) {
  return ::tern::logspace(compat::number_of("logspace", "start", start),
                          compat::number_of("logspace", "end", end), steps, base, options);
}
inline Tensor logspace(const Tensor& start, const Scalar& end, std::int64_t steps,
                       double base = 10.0, const TensorOptions& options = {}) {
  return ::tern::logspace(compat::number_of("logspace", "start", start), end, steps, base, options);
}
inline Tensor logspace(const Scalar& start, const Tensor& end, std::int64_t steps,
                       double base = 10.0, const TensorOptions& options = {}) {
  return ::tern::logspace(start, compat::number_of("logspace", "end", end), steps, base, options);
}

// Sizes or factors; see compat::upsampled_sizes().
template <compat::ScaleFactors Factors>
Tensor upsample_nearest1d(const Tensor& input, OptionalIntArrayRef output_size,
                          const Factors& scale_factors) {
  return ::tern::upsample_nearest1d(input,
                                    compat::upsampled_sizes(input, output_size, scale_factors),
                                    compat::scale_at(scale_factors, 0));
}
template <compat::ScaleFactors Factors>
Tensor upsample_nearest2d(const Tensor& input, OptionalIntArrayRef output_size,
                          const Factors& scale_factors) {
  return ::tern::upsample_nearest2d(
      input, compat::upsampled_sizes(input, output_size, scale_factors),
      compat::scale_at(scale_factors, 0), compat::scale_at(scale_factors, 1));
}
template <compat::ScaleFactors Factors>
Tensor upsample_nearest3d(const Tensor& input, OptionalIntArrayRef output_size,
                          const Factors& scale_factors) {
  return ::tern::upsample_nearest3d(
      input, compat::upsampled_sizes(input, output_size, scale_factors),
      compat::scale_at(scale_factors, 0), compat::scale_at(scale_factors, 1),
      compat::scale_at(scale_factors, 2));
}
template <compat::ScaleFactors Factors>
Tensor upsample_linear1d(const Tensor& input, OptionalIntArrayRef output_size, bool align_corners,
                         const Factors& scale_factors) {
  return ::tern::upsample_linear1d(input,
                                   compat::upsampled_sizes(input, output_size, scale_factors),
                                   align_corners, compat::scale_at(scale_factors, 0));
}
template <compat::ScaleFactors Factors>
Tensor upsample_bilinear2d(const Tensor& input, OptionalIntArrayRef output_size, bool align_corners,
                           const Factors& scale_factors) {
  return ::tern::upsample_bilinear2d(
      input, compat::upsampled_sizes(input, output_size, scale_factors), align_corners,
      compat::scale_at(scale_factors, 0), compat::scale_at(scale_factors, 1));
}
template <compat::ScaleFactors Factors>
Tensor upsample_trilinear3d(const Tensor& input, OptionalIntArrayRef output_size,
                            bool align_corners, const Factors& scale_factors) {
  return ::tern::upsample_trilinear3d(
      input, compat::upsampled_sizes(input, output_size, scale_factors), align_corners,
      compat::scale_at(scale_factors, 0), compat::scale_at(scale_factors, 1),
      compat::scale_at(scale_factors, 2));
}
template <compat::ScaleFactors Factors>
Tensor upsample_bicubic2d(const Tensor& input, OptionalIntArrayRef output_size, bool align_corners,
                          const Factors& scale_factors) {
  return ::tern::upsample_bicubic2d(
      input, compat::upsampled_sizes(input, output_size, scale_factors), align_corners,
      compat::scale_at(scale_factors, 0), compat::scale_at(scale_factors, 1));
}

/// Returns tern's randint_like() with the number in `high`.
inline Tensor randint_like(const Tensor& self, const Tensor& high,
                           const TensorOptions& options = {},
                           std::optional<MemoryFormat> memory_format = std::nullopt) {
  return ::tern::randint_like(self, high.item().toLong(), options, memory_format);
}
inline Tensor randint_like(const Tensor& self, const Tensor& high,
                           std::optional<Generator> generator, const TensorOptions& options = {},
                           std::optional<MemoryFormat> memory_format = std::nullopt) {
  return ::tern::randint_like(self, high.item().toLong(), std::move(generator), options,
                              memory_format);
}
/// Returns 1 with the probabilities `p`, else 0, with the sizes and dtype of `self`.
inline Tensor bernoulli(const Tensor& self, const Tensor& p,
                        std::optional<Generator> generator = std::nullopt) {
  return ::tern::empty(self.sizes(), self.options()).bernoulli_(p, std::move(generator));
}
/// Returns tern's repeat_interleave(); `output_size` must be the sum of the repeats.
template <compat::Exactly<std::optional<std::int64_t>> Size>
Tensor repeat_interleave(const Tensor& repeats, const Size& output_size) {
  Tensor out = ::tern::repeat_interleave(repeats);
  TERN_CHECK(output_size.value_or(out.numel()) == out.numel(), ::tern::Error, "allocated size ",
             *output_size, " does not match the sum of repeats ", out.numel());
  return out;
}
/// Returns tern's gradient() with the default spacing if there is none, or along `dim` alone.
template <compat::Exactly<std::optional<Scalar>> Spacing>
std::vector<Tensor> gradient(const Tensor& self, const Spacing& spacing, IntArrayRef dim = {},
                             std::int64_t edge_order = 1) {
  return ::tern::gradient(self, spacing.value_or(1), dim, edge_order);
}
template <compat::Exactly<IntArrayRef> Dims>
std::vector<Tensor> gradient(const Tensor& self, const Dims& dim, std::int64_t edge_order = 1) {
  return ::tern::gradient(self, 1, dim, edge_order);
}
/// Return tern's linalg_matrix_rank() and linalg_pinv() with tolerances that are tensors, one
/// number for each matrix.
template <compat::Exactly<std::optional<Tensor>> Tolerance>
Tensor linalg_matrix_rank(const Tensor& input, const Tolerance& atol,
                          const std::optional<Tensor>& rtol = std::nullopt,
                          bool hermitian = false) {
  const Tensor values = hermitian ? ::tern::linalg_eigvalsh(input.detach()).abs()
                                  : ::tern::linalg_svdvals(input.detach());
  return values.gt(compat::bound_of(values, input, atol, rtol)).sum(-1);
}
inline Tensor linalg_matrix_rank(const Tensor& input, const Tensor& tol, bool hermitian = false) {
  return linalg_matrix_rank(input, std::optional<Tensor>(tol),
                            std::optional<Tensor>(::tern::zeros_like(tol)), hermitian);
}
template <compat::Exactly<std::optional<Tensor>> Tolerance>
Tensor linalg_pinv(const Tensor& self, const Tolerance& atol,
                   const std::optional<Tensor>& rtol = std::nullopt, bool hermitian = false) {
  Tensor left, values, right;
  if (hermitian) {
    std::tie(values, left) = ::tern::linalg_eigh(self);
    right = left.mT();
  } else {
    std::tie(left, values, right) = ::tern::linalg_svd(self, false);
  }
  const Tensor sizes = values.detach().abs();
  const Tensor is_zero = sizes.le(compat::bound_of(sizes, self, atol, rtol));
  const Tensor inverse = values.masked_fill(is_zero, 1).reciprocal().masked_fill(is_zero, 0);
  return (right.mT() * inverse.unsqueeze(-2)).matmul(left.mT());
}
inline Tensor linalg_pinv(const Tensor& self, const Tensor& rcond, bool hermitian = false) {
  return linalg_pinv(self, std::optional<Tensor>(::tern::zeros_like(rcond)),
                     std::optional<Tensor>(rcond), hermitian);
}
/// Do the same as the functions for handles that are not constant.
inline const Tensor& as_strided_(const Tensor& self, IntArrayRef size, IntArrayRef stride,
                                 std::optional<std::int64_t> storage_offset = std::nullopt) {
  return storage_offset ? self.as_strided_(size, stride, *storage_offset)
                        : self.as_strided_(size, stride);
}
inline const Tensor& resize_as_(const Tensor& self, const Tensor& the_template,
                                std::optional<MemoryFormat> memory_format = std::nullopt) {
  return self.resize_as_(the_template, memory_format);
}
// Options one by one; see compat::options_of().
#define TERN_OPTIONS                                                                           \
  std::optional<ScalarType> dtype, std::optional<Layout> layout, std::optional<Device> device, \
      std::optional<bool> pin_memory
#define TERN_PARTS dtype, layout, device, pin_memory
inline Tensor arange(const Scalar& end, TERN_OPTIONS) {
  return ::tern::arange(end, compat::options_of(TERN_PARTS));
}
inline Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step, TERN_OPTIONS) {
  return ::tern::arange(start, end, step, compat::options_of(TERN_PARTS));
}
inline Tensor arange(const Scalar& start, const Scalar& end, TERN_OPTIONS) {
  return ::tern::arange(start, end, compat::options_of(TERN_PARTS));
}
inline Tensor empty(IntArrayRef size, TERN_OPTIONS, std::optional<MemoryFormat> memory_format) {
  return ::tern::empty(size, compat::options_of(TERN_PARTS), memory_format);
}
inline Tensor empty_like(const Tensor& self, TERN_OPTIONS,
                         std::optional<MemoryFormat> memory_format) {
  return ::tern::empty_like(self, compat::options_of(TERN_PARTS), memory_format);
}
inline Tensor empty_strided(IntArrayRef size, IntArrayRef stride, TERN_OPTIONS) {
  return ::tern::empty_strided(size, stride, compat::options_of(TERN_PARTS));
}
inline Tensor eye(std::int64_t n, std::int64_t m, TERN_OPTIONS) {
  return ::tern::eye(n, m, compat::options_of(TERN_PARTS));
}
inline Tensor eye(std::int64_t n, TERN_OPTIONS) {
  return ::tern::eye(n, compat::options_of(TERN_PARTS));
}
inline Tensor full(IntArrayRef size, const Scalar& fill_value, TERN_OPTIONS) {
  return ::tern::full(size, fill_value, compat::options_of(TERN_PARTS));
}
inline Tensor full_like(const Tensor& self, const Scalar& fill_value, TERN_OPTIONS,
                        std::optional<MemoryFormat> memory_format) {
  return ::tern::full_like(self, fill_value, compat::options_of(TERN_PARTS), memory_format);
}
inline Tensor linspace(const Scalar& start, const Scalar& end, std::int64_t steps, TERN_OPTIONS) {
  return ::tern::linspace(start, end, steps, compat::options_of(TERN_PARTS));
}
inline Tensor logspace(const Scalar& start, const Scalar& end, std::int64_t steps, double base,
                       TERN_OPTIONS) {
  return ::tern::logspace(start, end, steps, base, compat::options_of(TERN_PARTS));
}
inline Tensor normal(double mean, double std, IntArrayRef size, std::optional<Generator> generator,
                     TERN_OPTIONS) {
  return ::tern::normal(mean, std, size, std::move(generator), compat::options_of(TERN_PARTS));
}
inline Tensor ones(IntArrayRef size, TERN_OPTIONS) {
  return ::tern::ones(size, compat::options_of(TERN_PARTS));
}
inline Tensor ones_like(const Tensor& self, TERN_OPTIONS,
                        std::optional<MemoryFormat> memory_format) {
  return ::tern::ones_like(self, compat::options_of(TERN_PARTS), memory_format);
}
inline Tensor rand(IntArrayRef size, std::optional<Generator> generator, TERN_OPTIONS) {
  return ::tern::rand(size, std::move(generator), compat::options_of(TERN_PARTS));
}
inline Tensor rand(IntArrayRef size, TERN_OPTIONS) {
  return ::tern::rand(size, compat::options_of(TERN_PARTS));
}
inline Tensor rand_like(const Tensor& self, std::optional<Generator> generator, TERN_OPTIONS,
                        std::optional<MemoryFormat> memory_format) {
  return ::tern::rand_like(self, std::move(generator), compat::options_of(TERN_PARTS),
                           memory_format);
}
inline Tensor rand_like(const Tensor& self, TERN_OPTIONS,
                        std::optional<MemoryFormat> memory_format) {
  return ::tern::rand_like(self, compat::options_of(TERN_PARTS), memory_format);
}
inline Tensor randint(std::int64_t high, IntArrayRef size, std::optional<Generator> generator,
                      TERN_OPTIONS) {
  return ::tern::randint(high, size, std::move(generator), compat::options_of(TERN_PARTS));
}
inline Tensor randint(std::int64_t high, IntArrayRef size, TERN_OPTIONS) {
  return ::tern::randint(high, size, compat::options_of(TERN_PARTS));
}
inline Tensor randint(std::int64_t low, std::int64_t high, IntArrayRef size,
                      std::optional<Generator> generator, TERN_OPTIONS) {
  return ::tern::randint(low, high, size, std::move(generator), compat::options_of(TERN_PARTS));
}
inline Tensor randint(std::int64_t low, std::int64_t high, IntArrayRef size, TERN_OPTIONS) {
  return ::tern::randint(low, high, size, compat::options_of(TERN_PARTS));
}
inline Tensor randint_like(const Tensor& self, std::int64_t high,
                           std::optional<Generator> generator, TERN_OPTIONS,
                           std::optional<MemoryFormat> memory_format) {
  return ::tern::randint_like(self, high, std::move(generator), compat::options_of(TERN_PARTS),
                              memory_format);
}
inline Tensor randint_like(const Tensor& self, std::int64_t high, TERN_OPTIONS,
                           std::optional<MemoryFormat> memory_format) {
  return ::tern::randint_like(self, high, compat::options_of(TERN_PARTS), memory_format);
}
inline Tensor randint_like(const Tensor& self, std::int64_t low, std::int64_t high,
                           std::optional<Generator> generator, TERN_OPTIONS,
                           std::optional<MemoryFormat> memory_format) {
  return ::tern::randint_like(self, low, high, std::move(generator), compat::options_of(TERN_PARTS),
                              memory_format);
}
inline Tensor randint_like(const Tensor& self, std::int64_t low, std::int64_t high, TERN_OPTIONS,
                           std::optional<MemoryFormat> memory_format) {
  return ::tern::randint_like(self, low, high, compat::options_of(TERN_PARTS), memory_format);
}
inline Tensor randn(IntArrayRef size, std::optional<Generator> generator, TERN_OPTIONS) {
  return ::tern::randn(size, std::move(generator), compat::options_of(TERN_PARTS));
}
inline Tensor randn(IntArrayRef size, TERN_OPTIONS) {
  return ::tern::randn(size, compat::options_of(TERN_PARTS));
}
inline Tensor randn_like(const Tensor& self, std::optional<Generator> generator, TERN_OPTIONS,
                         std::optional<MemoryFormat> memory_format) {
  return ::tern::randn_like(self, std::move(generator), compat::options_of(TERN_PARTS),
                            memory_format);
}
inline Tensor randn_like(const Tensor& self, TERN_OPTIONS,
                         std::optional<MemoryFormat> memory_format) {
  return ::tern::randn_like(self, compat::options_of(TERN_PARTS), memory_format);
}
inline Tensor randperm(std::int64_t n, std::optional<Generator> generator, TERN_OPTIONS) {
  return ::tern::randperm(n, std::move(generator), compat::options_of(TERN_PARTS));
}
inline Tensor randperm(std::int64_t n, TERN_OPTIONS) {
  return ::tern::randperm(n, compat::options_of(TERN_PARTS));
}
inline Tensor scalar_tensor(const Scalar& s, TERN_OPTIONS) {
  return ::tern::scalar_tensor(s, compat::options_of(TERN_PARTS));
}
inline Tensor tril_indices(std::int64_t row, std::int64_t col, std::int64_t offset, TERN_OPTIONS) {
  return ::tern::tril_indices(row, col, offset, compat::options_of(TERN_PARTS));
}
inline Tensor triu_indices(std::int64_t row, std::int64_t col, std::int64_t offset, TERN_OPTIONS) {
  return ::tern::triu_indices(row, col, offset, compat::options_of(TERN_PARTS));
}
inline Tensor zeros(IntArrayRef size, TERN_OPTIONS) {
  return ::tern::zeros(size, compat::options_of(TERN_PARTS));
}
inline Tensor zeros_like(const Tensor& self, TERN_OPTIONS,
                         std::optional<MemoryFormat> memory_format) {
  return ::tern::zeros_like(self, compat::options_of(TERN_PARTS), memory_format);
}
inline Tensor linspace(const Tensor& start, const Tensor& end, std::int64_t steps, TERN_OPTIONS) {
  return at::linspace(start, end, steps, compat::options_of(TERN_PARTS));
}
inline Tensor linspace(const Tensor& start, const Scalar& end, std::int64_t steps, TERN_OPTIONS) {
  return at::linspace(start, end, steps, compat::options_of(TERN_PARTS));
}
inline Tensor linspace(const Scalar& start, const Tensor& end, std::int64_t steps, TERN_OPTIONS) {
  return at::linspace(start, end, steps, compat::options_of(TERN_PARTS));
}
inline Tensor logspace(const Tensor& start, const Tensor& end, std::int64_t steps, double base,
                       TERN_OPTIONS) {
  return at::logspace(start, end, steps, base, compat::options_of(TERN_PARTS));
}
inline Tensor logspace(const Tensor& start, const Scalar& end, std::int64_t steps, double base,
                       TERN_OPTIONS) {
  return at::logspace(start, end, steps, base, compat::options_of(TERN_PARTS));
}
inline Tensor logspace(const Scalar& start, const Tensor& end, std::int64_t steps, double base,
                       TERN_OPTIONS) {
  return at::logspace(start, end, steps, base, compat::options_of(TERN_PARTS));
}
inline Tensor randint_like(const Tensor& self, const Tensor& high, TERN_OPTIONS,
                           std::optional<MemoryFormat> memory_format) {
  return at::randint_like(self, high, compat::options_of(TERN_PARTS), memory_format);
}
inline Tensor randint_like(const Tensor& self, const Tensor& high,
                           std::optional<Generator> generator, TERN_OPTIONS,
                           std::optional<MemoryFormat> memory_format) {
  return at::randint_like(self, high, std::move(generator), compat::options_of(TERN_PARTS),
                          memory_format);
}
#undef TERN_PARTS
#undef TERN_OPTIONS

// Corrections that may be absent: 1 then.
template <compat::Exactly<std::optional<Scalar>> Correction>
Tensor var(const Tensor& self, IntArrayRef dim, const Correction& correction,
           bool keepdim = false) {
  return ::tern::var(self, dim, correction ? correction->toDouble() : 1.0, keepdim);
}
template <compat::Exactly<std::optional<Scalar>> Correction>
Tensor std(const Tensor& self, IntArrayRef dim, const Correction& correction,
           bool keepdim = false) {
  return ::tern::std(self, dim, correction ? correction->toDouble() : 1.0, keepdim);
}
template <compat::Exactly<std::optional<Scalar>> Correction>
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, IntArrayRef dim,
                                    const Correction& correction, bool keepdim = false) {
  return ::tern::var_mean(self, dim, correction ? correction->toDouble() : 1.0, keepdim);
}
template <compat::Exactly<std::optional<Scalar>> Correction>
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, IntArrayRef dim,
                                    const Correction& correction, bool keepdim = false) {
  return ::tern::std_mean(self, dim, correction ? correction->toDouble() : 1.0, keepdim);
}
}  // namespace at
