#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

// Reductions of contiguous runs, in vectors of the set's width: a compiler may not reorder a
// floating sum by itself.

namespace tern::cpu {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
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

// How two values of a reduction, or two vectors of them, become one.

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

/// The larger one, as one instruction; whether NaN wins depends on the order.
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

/// NaN wins.
struct Maximum {
  using Ordered = Larger;
  template <class V>
  static V combine(V a, V b) {
    const V larger = Larger::combine(a, b);  // a when either is NaN
    return b != b ? b : larger;
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
    return b != b ? b : smaller;
  }
  template <class T>
  static constexpr T kIdentity = std::numeric_limits<T>::has_infinity
                                     ? std::numeric_limits<T>::infinity()
                                     : std::numeric_limits<T>::max();
};

template <class T>
bool has_nan(const T* in, std::int64_t n) {
  using Flag = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  Flag found = 0;
  for (std::int64_t i = 0; i < n; ++i) found |= static_cast<Flag>(in[i] != in[i]);
  return found != 0;
}

/// What long reductions are kept in: float sums of many runs would lose digits.
template <class Op, class T>
using Accumulator =
    std::conditional_t<std::is_same_v<Op, Sum> && std::is_same_v<T, float>, double, T>;

/// How many elements may be summed in T itself: 64 in each lane of four vectors.
constexpr std::int64_t kRunLength = 256 * kLanes<float>;

template <class Op, class T>
T reduce_lanes(const Vector<T>& v) {
  T result = v[0];
  for (int i = 1; i < kLanes<T>; ++i) result = Op::template combine<T>(result, v[i]);
  return result;
}

/// n >= 1, at most kRunLength for sums of floats.
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

/// n >= 1.
template <class Op, class T>
Accumulator<Op, T> reduce_run(const T* in, std::int64_t n) {
  constexpr bool kExtreme = requires { typename Op::Ordered; };
  if constexpr (kExtreme && std::is_floating_point_v<T>) {
    if (n < 64) return reduce_short_run<Op>(in, n);  // not worth two passes
    T result = in[0];
    for (std::int64_t i = 0; i < n; i += kRunLength) {
      const std::int64_t count = n - i < kRunLength ? n - i : kRunLength;
      if (has_nan(in + i, count)) return std::numeric_limits<T>::quiet_NaN();
      result = Op::combine(result, reduce_short_run<typename Op::Ordered>(in + i, count));
    }
    return result;
  } else if constexpr (std::is_same_v<Accumulator<Op, T>, T>) {
    return reduce_short_run<Op>(in, n);
  } else {
    Accumulator<Op, T> result = 0;
    for (; n > kRunLength; n -= kRunLength, in += kRunLength) {
      result += reduce_short_run<Op>(in, kRunLength);
    }
    return result + reduce_short_run<Op>(in, n);
  }
}

}  // namespace tern::cpu
