#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include <tern/backends/cpu/kernels/support/span.h>

// Products of many floats. Their partial products may leave the range of float, and of double, even
// if the result does not.

namespace tern::cpu {

/// The number of factors in each lane that are multiplied in float.
constexpr std::int64_t kProductLength = 32;

/// Returns true if a product of floats can have stayed in their range: it is neither 0 nor infinite
/// nor NaN.
inline bool is_in_range(float product) { return product != 0 && product * 0 == 0; }

/// A product of floats in double, whose exponent can be kept apart so that it stays in the range.
class WideProduct {
 public:
  /// Multiplies by four vectors.
  void multiply(const Vector<float>* factors) {
    typedef float HalfVector __attribute__((vector_size(kVectorBytes / 2)));
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      HalfVector halves[2];
      std::memcpy(halves, &factors[k], sizeof(halves));
      product_[0] *= __builtin_convertvector(halves[0], Vector<double>);
      product_[1] *= __builtin_convertvector(halves[1], Vector<double>);
    }
  }

  /// Keeps the exponent of the product so far apart.
  void split_exponents() {
    split_exponent(product_[0]);
    split_exponent(product_[1]);
  }

  /// Returns the product and adds its exponent to `exponent`.
  double reduce(std::int64_t& exponent) const {
    exponent += reduce_lanes<Sum, std::int64_t>(exponent_);
    return reduce_lanes<Product, double>(product_[0] * product_[1]);
  }

 private:
  /// Moves the exponents of x to exponent_; 0, infinity and NaN have none.
  void split_exponent(Vector<double>& x) {
    using Bits = Vector<std::uint64_t>;
    constexpr std::uint64_t kField = 0x7ff, kBias = 1023;
    Bits bits;
    std::memcpy(&bits, &x, sizeof(bits));
    const Bits field = bits >> 52 & kField;
    const Bits is_normal = reinterpret_cast<Bits>((field != 0) & (field != kField));
    exponent_ += reinterpret_cast<Vector<std::int64_t>>((field - kBias) & is_normal);
    bits = (bits & ~(is_normal & kField << 52)) | (is_normal & kBias << 52);
    std::memcpy(&x, &bits, sizeof(bits));
  }

  Vector<double> product_[2] = {Vector<double>{} + 1, Vector<double>{} + 1};
  Vector<std::int64_t> exponent_{};
};

/// Multiplies n >= 1 elements: short products in float, then these in double. Repeats a short
/// product in double if it may have left the range.
[[gnu::noinline]] inline double long_product(const float* in, std::int64_t n) {
  constexpr std::int64_t w = kLanes<float>;
  double result = 1;
  std::int64_t exponent = 0;
  if (n >= 4 * w) {
    WideProduct wide;
    do {
      Vector<float> part[4];
      const auto load_part = [&](std::int64_t at) {
#pragma GCC unroll 4
        for (int k = 0; k < 4; ++k) part[k] = load(in + at + k * w);
      };
      load_part(0);
      std::int64_t i = 4 * w;
      for (const std::int64_t end = n < kProductLength * 4 * w ? n : kProductLength * 4 * w;
           i + 4 * w <= end; i += 4 * w) {
#pragma GCC unroll 4
        for (int k = 0; k < 4; ++k) part[k] *= load(in + i + k * w);
      }
      Vector<std::int32_t> fits = ~Vector<std::int32_t>{};
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) fits &= (part[k] != 0) & (part[k] * 0 == 0);
      const bool all_fit = reduce_lanes<Both, std::int32_t>(fits) != 0;
      for (std::int64_t at = all_fit ? i - 4 * w : 0; at < i; at += 4 * w) {
        if (!all_fit) load_part(at);
        wide.multiply(part);
        wide.split_exponents();
      }
      in += i;
      n -= i;
    } while (n >= 4 * w);
    result = wide.reduce(exponent);
  }
  if (n > 0) {
    const float rest = reduce_short_span<Product>(in, n);
    if (is_in_range(rest)) {
      result *= static_cast<double>(rest);
    } else {
      for (std::int64_t i = 0; i < n; ++i) {
        int moved = 0;
        result = std::frexp(result * static_cast<double>(in[i]), &moved);
        exponent += moved;
      }
    }
  }
  constexpr std::int64_t kMost = 4096;  // larger exponents give 0 or infinity, too
  return std::ldexp(result, static_cast<int>(std::clamp(exponent, -kMost, kMost)));
}

/// Multiplies n >= 1 elements. One short product needs no exponent, unless it leaves the range.
inline double product_span(const float* in, std::int64_t n) {
  constexpr std::int64_t w = kLanes<float>;
  if (n > kProductLength * 4 * w) return long_product(in, n);
  double result = 1;
  std::int64_t i = 0;
  if (n >= 4 * w) {
    Vector<float> part[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) part[k] = load(in + k * w);
    for (i = 4 * w; i + 4 * w <= n; i += 4 * w) {
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) part[k] *= load(in + i + k * w);
    }
    WideProduct wide;
    wide.multiply(part);
    std::int64_t none = 0;
    result = wide.reduce(none);
  }
  if (i < n) result *= static_cast<double>(reduce_short_span<Product>(in + i, n - i));
  return result != 0 && result * 0 == 0 ? result : long_product(in, n);
}

}  // namespace tern::cpu
