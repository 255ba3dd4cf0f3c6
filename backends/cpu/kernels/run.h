#pragma once

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include <tern/core/kernels/is_nan.h>

// Reductions of contiguous runs with vectors of the set's width: a compiler may not reorder a
// floating-point sum by itself.

namespace tern::cpu {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX2__) && defined(__FMA__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;  // SSE2, NEON
#endif

template <class T>
struct VectorOf {
  typedef T type __attribute__((vector_size(kVectorBytes)));
};
template <class T>
using Vector = typename VectorOf<T>::type;
template <class T>
constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(T));

template <class T>
inline Vector<T> load(const T* from) {
  Vector<T> v;
  std::memcpy(&v, from, sizeof(v));
  return v;
}
template <class T>
inline void store(T* to, const Vector<T>& v) {
  std::memcpy(to, &v, sizeof(v));
}

/// Copies n bytes. The start of memcpy costs more than a short run, and its string instructions are
/// slower for data in the cache.
inline void copy_run(void* target, const void* source, std::int64_t n) {
  using Byte = unsigned char;
  constexpr std::int64_t w = kVectorBytes;
  Byte* const to = static_cast<Byte*>(target);
  const Byte* const from = static_cast<const Byte*>(source);
  if (n < w) {
    std::memcpy(to, from, static_cast<std::size_t>(n));
    return;
  }
  std::int64_t i = 0;
  for (; i + 4 * w <= n; i += 4 * w) {
    const Vector<Byte> a = load(from + i), b = load(from + i + w);
    const Vector<Byte> c = load(from + i + 2 * w), d = load(from + i + 3 * w);
    store(to + i, a);
    store(to + i + w, b);
    store(to + i + 2 * w, c);
    store(to + i + 3 * w, d);
  }
  for (; i + w <= n; i += w) store(to + i, load(from + i));
  if (i < n) store(to + n - w, load(from + n - w));
}

/// Sets to[i] = from[i * stride]. Stride 2 is common (x[:, ::2]), and a loop with a constant stride
/// vectorises.
template <class T>
inline void gather_run(T* __restrict to, const T* __restrict from, std::int64_t stride,
                       std::int64_t n) {
  if (stride == 2) {
    for (std::int64_t i = 0; i < n; ++i) to[i] = from[2 * i];
  } else {
    for (std::int64_t i = 0; i < n; ++i) to[i] = from[i * stride];
  }
}

#if defined(__AVX512F__)
/// Stores the first half of the lanes of v to to[0], to[2], ... and touches no element between
/// them.
inline void store_every_second(std::uint32_t* to, const Vector<std::uint32_t>& v) {
  const Vector<std::uint32_t> twice =
      __builtin_shufflevector(v, v, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
  _mm512_mask_storeu_epi32(to, 0x5555, reinterpret_cast<const __m512i&>(twice));
}
inline void store_every_second(std::uint64_t* to, const Vector<std::uint64_t>& v) {
  const Vector<std::uint64_t> twice = __builtin_shufflevector(v, v, 0, 0, 1, 1, 2, 2, 3, 3);
  _mm512_mask_storeu_epi64(to, 0x55, reinterpret_cast<const __m512i&>(twice));
}
#endif

/// Sets to[2 * i] = from[i].
template <class T>
[[gnu::noinline]] void scatter_pairs(T* __restrict to, const T* __restrict from, std::int64_t n) {
  std::int64_t i = 0;
#if defined(__AVX512F__)
  if constexpr (sizeof(T) >= 4) {
    constexpr std::int64_t half = kLanes<T> / 2;
    for (; i + 2 * half <= n; i += half) store_every_second(to + 2 * i, load(from + i));
  }
#endif
#pragma GCC unroll 8
  for (; i < n; ++i) to[2 * i] = from[i];
}

// How two values of a reduction, or two vectors of values, are combined.

struct Sum {
  template <class V>
  static V combine(V a, V b) {
    return a + b;
  }
  template <class T>
  static constexpr T kIdentity = T(0);
};

struct Product {
  template <class V>
  static V combine(V a, V b) {
    return a * b;
  }
  template <class T>
  static constexpr T kIdentity = T(1);
};

/// Tells if both flags are set.
struct Both {
  template <class V>
  static V combine(V a, V b) {
    return a & b;
  }
};

/// Returns the larger value with one instruction; whether NaN wins depends on the order.
struct Larger {
  template <class V>
  static V combine(V a, V b) {
    return b > a ? b : a;
  }
};

struct Smaller {
  template <class V>
  static V combine(V a, V b) {
    return b < a ? b : a;
  }
};

/// The maximum; NaN wins.
struct Maximum {
  using Ordered = Larger;
  template <class V>
  static V combine(V a, V b) {
    const V larger = Larger::combine(a, b);  // a when either is NaN
    return kernels::is_nan(b) ? b : larger;
  }
  template <class T>
  static constexpr T kIdentity = std::numeric_limits<T>::has_infinity
                                     ? -std::numeric_limits<T>::infinity()
                                     : std::numeric_limits<T>::lowest();
};

struct Minimum {
  using Ordered = Smaller;
  template <class V>
  static V combine(V a, V b) {
    const V smaller = Smaller::combine(a, b);
    return kernels::is_nan(b) ? b : smaller;
  }
  template <class T>
  static constexpr T kIdentity = std::numeric_limits<T>::has_infinity
                                     ? std::numeric_limits<T>::infinity()
                                     : std::numeric_limits<T>::max();
};

/// Reduces the lanes by folding the halves of the vector onto each other.
template <class Op, class T, int kWidth = kLanes<T>>
[[gnu::always_inline]] inline void fold_lanes(Vector<T>& v) {
  constexpr auto kFold = []<int... lane>(const Vector<T>& x, std::integer_sequence<int, lane...>) {
    return __builtin_shufflevector(x, x, (lane ^ (kWidth / 2))...);
  };
  v = Op::combine(v, kFold(v, std::make_integer_sequence<int, kLanes<T>>()));
  if constexpr (kWidth > 2) fold_lanes<Op, T, kWidth / 2>(v);
}
template <class Op, class T>
[[gnu::always_inline]] inline T reduce_lanes(Vector<T> v) {
  if constexpr (kLanes < T >> 1) fold_lanes<Op, T>(v);
  return v[0];
}

/// Computes the extreme of n >= kLanes<T> elements, ordered by Op. Returns false if an element may
/// be NaN: their sum is then NaN (also if infinities of both signs meet).
template <class Op, class T>
bool ordered_extreme(const T* in, std::int64_t n, T& result) {
  constexpr std::int64_t w = kLanes<T>;
  Vector<T> best[4], sum[4] = {};
  for (auto& v : best) v = load(in);
  std::int64_t i = 0;
  const auto take = [&](int k, std::int64_t at) {
    const Vector<T> v = load(in + at);
    best[k] = Op::combine(best[k], v);
    sum[k] += v;
  };
  for (; i + 4 * w <= n; i += 4 * w) {
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) take(k, i + k * w);
  }
  for (; i + w <= n; i += w) take(0, i);
  if (i < n) take(1, n - w);
  best[0] = Op::combine(Op::combine(best[0], best[1]), Op::combine(best[2], best[3]));
  const T total = reduce_lanes<Sum, T>((sum[0] + sum[1]) + (sum[2] + sum[3]));
  result = reduce_lanes<Op, T>(best[0]);
  return !kernels::is_nan(total);
}

template <class T>
bool has_nan(const T* in, std::int64_t n) {
  using Flag = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  Flag found = 0;
  for (std::int64_t i = 0; i < n; ++i) found |= static_cast<Flag>(kernels::is_nan(in[i]));
  return found != 0;
}

/// The type of long reductions: float sums of many runs would lose digits, and products would leave
/// the range. Multiplying denormals is slow on many processors.
template <class Op, class T>
constexpr bool kAccumulatesInDouble = std::is_same_v<T, float> &&
                                      (std::is_same_v<Op, Sum> || std::is_same_v<Op, Product>);
template <class Op, class T>
using Accumulator = std::conditional_t<kAccumulatesInDouble<Op, T>, double, T>;

/// The number of elements that may be summed in T itself: 64 in each lane of four vectors.
constexpr std::int64_t kRunLength = std::int64_t{256} * kLanes<float>;

/// Reduces n >= 1 elements, at most kRunLength for sums of floats.
template <class Op, class T>
T reduce_short_run(const T* in, std::int64_t n) {
  constexpr std::int64_t w = kLanes<T>;
  std::int64_t i = 1;
  T result = in[0];
  if (n >= w) {
    Vector<T> a = load(in);
    i = w;
    if (n >= 4 * w) {
      Vector<T> b = load(in + w), c = load(in + 2 * w), d = load(in + 3 * w);
      for (i = 4 * w; i + 4 * w <= n; i += 4 * w) {
        a = Op::combine(a, load(in + i));
        b = Op::combine(b, load(in + i + w));
        c = Op::combine(c, load(in + i + 2 * w));
        d = Op::combine(d, load(in + i + 3 * w));
      }
      a = Op::combine(Op::combine(a, b), Op::combine(c, d));
    }
    for (; i + w <= n; i += w) a = Op::combine(a, load(in + i));
    result = reduce_lanes<Op, T>(a);
  }
  for (; i < n; ++i) result = Op::template combine<T>(result, in[i]);
  return result;
}

/// The number of factors in each lane that are multiplied in float.
constexpr std::int64_t kProductLength = 32;

/// Returns true if a product of floats can have stayed in their range: it is neither 0 nor infinite
/// nor NaN.
inline bool is_in_range(float product) { return product != 0 && product - product == 0; }

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
      for (int k = 0; k < 4; ++k) fits &= (part[k] != 0) & (part[k] - part[k] == 0);
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
    const float rest = reduce_short_run<Product>(in, n);
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
inline double product_run(const float* in, std::int64_t n) {
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
  if (i < n) result *= static_cast<double>(reduce_short_run<Product>(in + i, n - i));
  return result != 0 && result - result == 0 ? result : long_product(in, n);
}

/// Reduces n >= 1 elements.
template <class Op, class T>
Accumulator<Op, T> reduce_run(const T* in, std::int64_t n) {
  constexpr bool kExtreme = requires { typename Op::Ordered; };
  if constexpr (kExtreme && std::is_floating_point_v<T>) {
    if (n < 64) return reduce_short_run<Op>(in, n);  // not worth two passes
    T result;
    if (ordered_extreme<typename Op::Ordered>(in, n, result) || !has_nan(in, n)) return result;
    return std::numeric_limits<T>::quiet_NaN();
  } else if constexpr (std::is_same_v<Accumulator<Op, T>, T>) {
    return reduce_short_run<Op>(in, n);
  } else if constexpr (std::is_same_v<Op, Product>) {
    return product_run(in, n);
  } else {
    Accumulator<Op, T> result = 0;
    for (; n > kRunLength; n -= kRunLength, in += kRunLength) {
      result += reduce_short_run<Op>(in, kRunLength);
    }
    return result + reduce_short_run<Op>(in, n);
  }
}

}  // namespace tern::cpu
