// Compiled for size.

#include <tern/core/kernels/math/math_dtype.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/create/detail/creation.h>
#include <tern/core/ops/ops.h>

namespace tern {
namespace {

constexpr double kPi = 3.141592653589793238463;

// Returns a window; `fill` makes the symmetric one of n > 1 elements from the numbers 0 to n - 1.
template <class Fill>
Tensor window(const char* name, std::int64_t length, bool periodic, const TensorOptions& options,
              const Fill& fill) {
  TERN_CHECK(is_floating_point(options.dtype()), DTypeError, name,
             " expects floating point dtypes, got: ", options);
  TERN_CHECK(length >= 0, ShapeError, name,
             " requires non-negative window_length, got window_length=", length);
  const NoGradGuard no_grad;
  const TensorOptions plain = TensorOptions(options.dtype()).device(options.device());
  if (length < 2) return detail::finish_factory(ones({length}, plain), options);
  const std::int64_t n = periodic ? length + 1 : length;
  const Tensor whole = fill(arange(n, plain), n);
  return detail::finish_factory(periodic ? whole.narrow(0, 0, length).clone() : whole, options);
}

Tensor raised_cosine(const char* name, std::int64_t length, bool periodic, double alpha,
                     double beta, const TensorOptions& options) {
  return window(name, length, periodic, options, [&](const Tensor& i, std::int64_t n) {
    return i.mul_(2 * kPi / static_cast<double>(n - 1)).cos_().mul_(-beta).add_(alpha);
  });
}

}  // namespace

Tensor hann_window(StrictInt window_length, const TensorOptions& options) {
  return hann_window(window_length, true, options);
}
Tensor hann_window(StrictInt window_length, StrictBool periodic, const TensorOptions& options) {
  TERN_OP("hann_window");
  return raised_cosine("hann_window", window_length, periodic, 0.5, 0.5, options);
}

Tensor hamming_window(StrictInt window_length, const TensorOptions& options) {
  return hamming_window(window_length, true, options);
}
Tensor hamming_window(StrictInt window_length, StrictBool periodic, const TensorOptions& options) {
  return hamming_window(window_length, periodic, 0.54, options);
}
Tensor hamming_window(StrictInt window_length, StrictBool periodic, double alpha,
                      const TensorOptions& options) {
  return hamming_window(window_length, periodic, alpha, 0.46, options);
}
Tensor hamming_window(StrictInt window_length, StrictBool periodic, double alpha, double beta,
                      const TensorOptions& options) {
  TERN_OP("hamming_window");
  return raised_cosine("hamming_window", window_length, periodic, alpha, beta, options);
}

Tensor blackman_window(StrictInt window_length, const TensorOptions& options) {
  return blackman_window(window_length, true, options);
}
Tensor blackman_window(StrictInt window_length, StrictBool periodic, const TensorOptions& options) {
  TERN_OP("blackman_window");
  return window("blackman_window", window_length, periodic, options,
                [](const Tensor& i, std::int64_t n) {
                  const Tensor angle = i.mul_(kPi / static_cast<double>(n - 1));
                  return (angle * 4).cos_().mul_(0.08) - (angle * 2).cos_().mul_(0.5) + 0.42;
                });
}

Tensor bartlett_window(StrictInt window_length, const TensorOptions& options) {
  return bartlett_window(window_length, true, options);
}
Tensor bartlett_window(StrictInt window_length, StrictBool periodic, const TensorOptions& options) {
  TERN_OP("bartlett_window");
  return window("bartlett_window", window_length, periodic, options,
                [](const Tensor& i, std::int64_t n) {
                  const std::int64_t rising = (n - 1) / 2 + 1;
                  i.mul_(2 / static_cast<double>(n - 1));
                  i.narrow(0, rising, n - rising).mul_(-1).add_(2);
                  return i;
                });
}

Tensor kaiser_window(StrictInt window_length, const TensorOptions& options) {
  return kaiser_window(window_length, true, options);
}
Tensor kaiser_window(StrictInt window_length, StrictBool periodic, const TensorOptions& options) {
  return kaiser_window(window_length, periodic, 12.0, options);
}
Tensor kaiser_window(StrictInt window_length, StrictBool periodic, double beta,
                     const TensorOptions& options) {
  TERN_OP("kaiser_window");
  return window("kaiser_window", window_length, periodic, options,
                [&](const Tensor& i, std::int64_t n) {
                  const double centre = static_cast<double>(n - 1) / 2;
                  const Tensor wide = i.to(kernels::math_dtype(i.dtype()));
                  const Tensor root = (1 - ((wide - centre) / centre).square_()).sqrt_();
                  const Tensor largest = full({}, beta, wide.options());
                  return (i0(root * largest) / i0(largest)).to(i.dtype());
                });
}

}  // namespace tern
