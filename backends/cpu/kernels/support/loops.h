#pragma once

#include <utility>

#include <tern/backends/cpu/kernels/support/strided.h>
#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/kernels/formulas/formulas.h>

// The inner loops of the elementwise kernels: the output is contiguous, each input is contiguous or
// a single number. strided.cpp packs all other layouts into this form.

// The output may be an input: an iteration reads only elements that no other iteration writes.
#ifdef __clang__
#define TERN_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define TERN_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace tern::cpu {

template <class T>
struct Elements {
  const T* data;
  T operator[](std::int64_t i) const { return data[i]; }
};

/// Read as bytes, because loops over bool do not vectorise.
template <>
struct Elements<bool> {
  const bool* data;
  bool operator[](std::int64_t i) const {
    return reinterpret_cast<const unsigned char*>(data)[i] != 0;
  }
};

template <class T>
struct Number {
  T value;
  T operator[](std::int64_t) const { return value; }
};

/// Not inlined: rare, and the compiler would vectorise the loop.
template <class F, class... T>
[[gnu::noinline]] auto unbounded_value(T... x) {
  return F::value(x...);
}

template <class F, class Out, class... In>
void run_loop(Out* out, std::int64_t n, In... in) {
  if constexpr (requires { F::bounded(in[0]...); }) {
    constexpr std::int64_t kBlock = 1024;
    for (std::int64_t begin = 0; begin < n; begin += kBlock) {
      const std::int64_t end = begin + kBlock < n ? begin + kBlock : n;
      unsigned unbounded = 0;
      for (std::int64_t i = begin; i < end; ++i) unbounded |= !F::bounded(in[i]...);
      if (unbounded == 0) {
        TERN_INDEPENDENT
        for (std::int64_t i = begin; i < end; ++i) out[i] = F::bounded_value(in[i]...);
      } else {
        for (std::int64_t i = begin; i < end; ++i) out[i] = unbounded_value<F>(in[i]...);
      }
    }
  } else {
    TERN_INDEPENDENT
    for (std::int64_t i = 0; i < n; ++i) out[i] = F::value(in[i]...);
  }
}

template <bool kNumber, class T>
auto operand(const void* data) {
  if constexpr (kNumber) {
    return Number<T>{*static_cast<const T*>(data)};
  } else {
    return Elements<T>{static_cast<const T*>(data)};
  }
}

/// The type of the result of formula F; T if F always reads the scale.
template <class F, class T, class... Inputs>
struct OutOfFormula {
  using type = T;
};
template <class F, class T, class... Inputs>
requires requires { F::value(Inputs()...); }
struct OutOfFormula<F, T, Inputs...> {
  using type = decltype(F::value(Inputs()...));
};
template <class F, class T, class... Inputs>
using OutOf = typename OutOfFormula<F, T, Inputs...>::type;

/// The loop of formula F in which the inputs in the bit set kNumbers are single numbers.
template <class F, class T, unsigned kNumbers, class... Inputs>
void loop(void* out, const void* const* in, std::int64_t n, const kernels::Immediate* scale) {
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    using Out = OutOf<F, T, Inputs...>;
    const auto result = static_cast<Out*>(out);
    if constexpr (kNumbers == 2 && requires { F::by_exponent(T(), [](auto) {}); }) {
      const auto use = [&](auto simpler) {
        run_loop<decltype(simpler)>(result, n, operand<false, T>(in[0]));
      };
      if (F::by_exponent(*static_cast<const T*>(in[1]), use)) return;
    }
    if constexpr (std::is_same_v<F, kernels::formulas::pow> && kNumbers == 1) {
      // The compiler would split the loop by the value of a single base and not vectorise it.
      constexpr std::int64_t kBlock = 512;
      T bases[kBlock];
      for (T& base : bases) base = *static_cast<const T*>(in[0]);
      const T* const exponents = static_cast<const T*>(in[1]);
      for (std::int64_t i = 0; i < n; i += kBlock) {
        run_loop<F>(result + i, n - i < kBlock ? n - i : kBlock, Elements<T>{bases},
                    Elements<T>{exponents + i});
      }
      return;
    }
    if constexpr (std::is_same_v<F, kernels::formulas::clamp> && kNumbers == 6) {
      const T low = *static_cast<const T*>(in[1]), high = *static_cast<const T*>(in[2]);
      if (!kernels::formulas::isnan::value(low) && !kernels::formulas::isnan::value(high)) {
        run_loop<kernels::formulas::clamp_between>(result, n, operand<false, T>(in[0]),
                                                   Number<T>{low}, Number<T>{high});
        return;
      }
    }
    if constexpr (F::kScaled) {
      const T factor = kernels::immediate_value<T>(*scale);
      constexpr bool kAlways = !requires { F::value(Inputs()...); };
      if (kAlways || factor != T(1)) {
        run_loop<F>(result, n, operand<((kNumbers >> k) & 1) != 0, Inputs>(in[k])...,
                    Number<T>{factor});
        return;
      }
    }
    if constexpr (requires { F::value(Inputs()...); }) {
      run_loop<F>(result, n, operand<((kNumbers >> k) & 1) != 0, Inputs>(in[k])...);
    }
  }
  (std::index_sequence_for<Inputs...>());
}

}  // namespace tern::cpu
