#pragma once

#include <cmath>
#include <cstdint>

#include <tern/core/kernels/host_device.h>
#include <tern/core/kernels/philox.h>

// Poisson and binomial random numbers from uniform numbers in [0, 1): `next()` returns one. For
// host and device code. All backends draw by the same rules, because a rule decides how many
// numbers it takes.

namespace tern::kernels {

/// The uniform numbers of one element on a device: 53 bits each, from the blocks of a Philox
/// subsequence.
struct PhiloxUniforms {
  std::uint64_t seed, subsequence, offset;
  PhiloxWords words = {};
  bool half_used = false;

  TERN_HOST_DEVICE double operator()() {
    if (!half_used) {
      words = philox(seed, subsequence, offset);
      offset += 4;
    }
    const int k = half_used ? 2 : 0;
    half_used = !half_used;
    const std::uint64_t bits = std::uint64_t{words.word[k]} << 32 | words.word[k + 1];
    return static_cast<double>(bits & ((std::uint64_t{1} << 53) - 1)) * 0x1p-53;
  }
};

/// Returns a Poisson number of a rate >= 10 by transformed rejection (Hoermann, "The transformed
/// rejection method for generating Poisson random variables", 1993, algorithm PTRS).
template <class Next>
TERN_HOST_DEVICE double poisson_by_rejection(double rate, Next& next) {
  const double log_rate = ::log(rate);
  const double b = 0.931 + 2.53 * ::sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double v_r = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = next() - 0.5, v = next();
    const double us = 0.5 - ::fabs(u);
    const double k = ::floor((2 * a / us + b) * u + rate + 0.43);
    if (us >= 0.07 && v <= v_r) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (::log(v) + ::log(inverse_alpha) - ::log(a / (us * us) + b) <=
        -rate + k * log_rate - ::lgamma(k + 1)) {
      return k;
    }
  }
}

/// Returns a Poisson number. Small rates multiply uniform numbers (Knuth, "The Art of Computer
/// Programming", volume 2, section 3.4.1).
template <class Next>
TERN_HOST_DEVICE double poisson_sample(double rate, Next& next) {
  if (!(rate > 0)) return 0;
  if (rate - rate != 0) return rate;  // infinite
  if (rate >= 10) return poisson_by_rejection(rate, next);
  const double limit = ::exp(-rate);
  double count = 0, product = next();
  while (product > limit) {
    product *= next();
    ++count;
  }
  return count;
}

/// Returns ln(k!) minus Stirling's formula for it.
TERN_HOST_DEVICE double stirling_tail(double k) {
  constexpr double kSmall[] = {0.0810614667953272,  0.0413406959554092, 0.0276779256849983,
                               0.02079067210376509, 0.0166446911898211, 0.0138761288230707,
                               0.0118967099458917,  0.0104112652619720, 0.00925546218271273,
                               0.00833056343336287};
  if (k <= 9) return kSmall[static_cast<int>(k)];
  const double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

/// Returns a binomial number for count * p >= 10 and p <= 1/2 by transformed rejection (Hoermann,
/// "The generation of binomial random variates", 1993, algorithm BTRS).
template <class Next>
TERN_HOST_DEVICE double binomial_by_rejection(double count, double p, Next& next) {
  const double deviation = ::sqrt(count * p * (1 - p));
  const double b = 1.15 + 2.53 * deviation;
  const double a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double c = count * p + 0.5;
  const double v_r = 0.92 - 4.2 / b;
  const double odds = p / (1 - p);
  const double alpha = (2.83 + 5.1 / b) * deviation;
  const double mode = ::floor((count + 1) * p);
  for (;;) {
    const double u = next() - 0.5;
    double v = next();
    const double us = 0.5 - ::fabs(u);
    const double k = ::floor((2 * a / us + b) * u + c);
    if (us >= 0.07 && v <= v_r) return k;
    if (k < 0 || k > count) continue;
    v = ::log(v * alpha / (a / (us * us) + b));
    const double bound = (mode + 0.5) * ::log((mode + 1) / (odds * (count - mode + 1))) +
                         (count + 1) * ::log((count - mode + 1) / (count - k + 1)) +
                         (k + 0.5) * ::log(odds * (count - k + 1) / (k + 1)) + stirling_tail(mode) +
                         stirling_tail(count - mode) - stirling_tail(k) - stirling_tail(count - k);
    if (v <= bound) return k;
  }
}

/// Counts geometric numbers until their sum exceeds `count` (Devroye, "Non-Uniform Random Variate
/// Generation", 1986, chapter X.4).
template <class Next>
TERN_HOST_DEVICE double binomial_by_waiting(double count, double p, Next& next) {
  const double log_failure = ::log1p(-p);
  double successes = 0, sum = 0;
  for (;;) {
    sum += ::ceil(::log(next()) / log_failure);
    if (!(sum <= count)) return successes;
    ++successes;
  }
}

/// Returns a binomial number; NaN if a parameter is NaN.
template <class Next>
TERN_HOST_DEVICE double binomial_sample(double count, double p, Next& next) {
  if (count <= 0 || p <= 0) return 0;
  if (p >= 1 || count - count != 0) return count;  // certain, or infinite or NaN
  if (p != p) return p;
  const bool swaps = p > 0.5;
  const double q = swaps ? 1 - p : p;
  const double drawn =
      count * q >= 10 ? binomial_by_rejection(count, q, next) : binomial_by_waiting(count, q, next);
  return swaps ? count - drawn : drawn;
}

}  // namespace tern::kernels
