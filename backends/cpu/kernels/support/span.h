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

#include <tern/backends/cpu/kernels/support/vector.h>
#include <tern/core/kernels/math/is_nan.h>

// Vectors of the width of the instruction set, and what a compiler does not do with them by itself:
// it may not reorder a floating-point sum.

namespace tern::cpu {

/// Copies n bytes. The start of memcpy costs more than a short span, and its string instructions
/// are slower for data in the cache.
inline void copy_span(void* target, const void* source, std::int64_t n) {
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

/// Sets to[i] = from[i * stride]. Strides 2 (x[:, ::2]) and -1 (flip) are common, and a loop with a
/// constant stride vectorises.
template <class T>
inline void gather_span(T* __restrict to, const T* __restrict from, std::int64_t stride,
                        std::int64_t n) {
  if (stride == 2) {
    for (std::int64_t i = 0; i < n; ++i) to[i] = from[2 * i];
  } else if (stride == -1) {
    for (std::int64_t i = 0; i < n; ++i) to[i] = from[-i];
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

/// Reads elements as they are.
struct AsStored {
  template <class V>
  V operator()(V x) const {
    return x;
  }
};

/// Reduces n >= 1 elements in T; sums of many floats would lose digits. `read` is applied to each
/// element, or vector of elements.
template <class Op, class T, class Read = AsStored>
T reduce_short_span(const T* in, std::int64_t n, const Read read = {}) {
  constexpr std::int64_t w = kLanes<T>;
  std::int64_t i = 1;
  T result = read(in[0]);
  if (n >= w) {
    Vector<T> a = read(load(in));
    i = w;
    if (n >= 4 * w) {
      Vector<T> b = read(load(in + w)), c = read(load(in + 2 * w)), d = read(load(in + 3 * w));
      for (i = 4 * w; i + 4 * w <= n; i += 4 * w) {
        a = Op::combine(a, read(load(in + i)));
        b = Op::combine(b, read(load(in + i + w)));
        c = Op::combine(c, read(load(in + i + 2 * w)));
        d = Op::combine(d, read(load(in + i + 3 * w)));
      }
      a = Op::combine(Op::combine(a, b), Op::combine(c, d));
    }
    for (; i + w <= n; i += w) a = Op::combine(a, read(load(in + i)));
    result = reduce_lanes<Op, T>(a);
  }
  for (; i < n; ++i) result = Op::template combine<T>(result, read(in[i]));
  return result;
}

}  // namespace tern::cpu
