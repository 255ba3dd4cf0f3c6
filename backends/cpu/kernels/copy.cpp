#if defined(__F16C__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cstring>
#include <type_traits>

#include <tern/backends/cpu/kernels/support/dims.h>
#include <tern/backends/cpu/kernels/support/span.h>
#include <tern/backends/cpu/kernels/support/strided.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/families/copy.h>
#include <tern/core/kernels/math/cast.h>
#include <tern/core/kernels/math/math.h>

namespace tern::cpu {
namespace {

using namespace kernels;

constexpr std::int64_t kCopyGrain = 32768;

#if defined(__AVX2__) && !defined(__AVX512DQ__)
template <class Out, class In>
constexpr bool kCastsLong = (std::is_same_v<Out, std::int64_t> && std::is_floating_point_v<In>) ||
                            (std::is_same_v<In, std::int64_t> && std::is_floating_point_v<Out>);

/// AVX2 has no instruction for casts between int64 and floating dtypes. Blocks of numbers below
/// 2^51 are cast by adding a double whose low bits then hold the integer.
template <class Out, class In>
void cast_long(Out* __restrict to, const In* __restrict from, std::int64_t n) {
  constexpr double kShift = 0x1.8p52;
  constexpr std::uint64_t kShiftBits = 0x4338000000000000;
  constexpr std::int64_t kBlock = 512;
  for (std::int64_t begin = 0; begin < n; begin += kBlock) {
    const std::int64_t end = std::min(n, begin + kBlock);
    std::uint64_t large = 0;
    if constexpr (std::is_integral_v<In>) {
      for (std::int64_t i = begin; i < end; ++i) {
        large |= (static_cast<std::uint64_t>(from[i]) + (1ULL << 51)) >> 52;
      }
    } else {
      constexpr In kLimit = 0x1p51;
      for (std::int64_t i = begin; i < end; ++i) large |= !(math::abs(from[i]) < kLimit);
    }
    if (large != 0) {
      for (std::int64_t i = begin; i < end; ++i) to[i] = cast<Out>(from[i]);
    } else if constexpr (std::is_integral_v<In>) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::uint64_t bits = static_cast<std::uint64_t>(from[i]) + kShiftBits;
        to[i] = static_cast<Out>(math::from_bits(bits) - kShift);
      }
    } else {
      for (std::int64_t i = begin; i < end; ++i) {
        const double whole = math::trunc(static_cast<double>(from[i]));
        to[i] = static_cast<Out>(math::to_bits(whole + kShift) - kShiftBits);
      }
    }
  }
}
#endif

template <class Out, class In>
void cast_loop(void* out, const void* const* in, std::int64_t n, const Immediate*) {
  Out* __restrict to = static_cast<Out*>(out);
  // bool is read as bytes, as in loops.h.
  using Stored = std::conditional_t<std::is_same_v<In, bool>, unsigned char, In>;
  const Stored* __restrict from = static_cast<const Stored*>(in[0]);
#if defined(__AVX2__) && !defined(__AVX512DQ__)
  if constexpr (kCastsLong<Out, In>) return cast_long(to, from, n);
#endif
  for (std::int64_t i = 0; i < n; ++i) to[i] = cast<Out>(from[i]);
}

#if defined(__F16C__)
// Uses the processor's own conversions: the same numbers, three times as fast.

template <>
void cast_loop<float, Half>(void* out, const void* const* in, std::int64_t n, const Immediate*) {
  float* const to = static_cast<float*>(out);
  const Half* const from = static_cast<const Half*>(in[0]);
  std::int64_t i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= n; i += 16) {
    const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
    _mm512_storeu_ps(to + i, _mm512_cvtph_ps(halves));
  }
#endif
  for (; i + 8 <= n; i += 8) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(halves));
  }
  for (; i < n; ++i) to[i] = from[i];
}

template <>
void cast_loop<Half, float>(void* out, const void* const* in, std::int64_t n, const Immediate*) {
  Half* const to = static_cast<Half*>(out);
  const float* const from = static_cast<const float*>(in[0]);
  std::int64_t i = 0;
#if defined(__AVX512F__)
  for (; i + 16 <= n; i += 16) {
    const __m256i halves = _mm512_cvtps_ph(_mm512_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), halves);
  }
#endif
  for (; i + 8 <= n; i += 8) {
    const __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), halves);
  }
  for (; i < n; ++i) to[i] = from[i];
}
#endif

#if defined(__AVX512BW__)
/// Rounds the upper halves of 32 numbers at once.
template <>
void cast_loop<BFloat16, float>(void* out, const void* const* in, std::int64_t n,
                                const Immediate*) {
  const auto each_half = [](std::uint16_t first) {
    alignas(64) std::uint16_t places[32];
    for (int i = 0; i < 32; ++i) places[i] = static_cast<std::uint16_t>(first + 2 * i);
    return _mm512_load_si512(places);
  };
  const __m512i lower_halves = each_half(0), upper_halves = each_half(1);
  const __m512i one = _mm512_set1_epi16(1), half = _mm512_set1_epi16(-0x8000);
  const auto round = [&](__m512 x, __m512 y) {
    const __m512i a = _mm512_castps_si512(x), b = _mm512_castps_si512(y);
    const __m512i lower = _mm512_permutex2var_epi16(a, lower_halves, b);
    const __m512i upper = _mm512_permutex2var_epi16(a, upper_halves, b);
    const __m512i tie_to_even = _mm512_adds_epu16(lower, _mm512_and_si512(upper, one));
    const __mmask32 up = _mm512_cmpgt_epu16_mask(tie_to_even, half);
    const __mmask32 nan = _mm512_kunpackw(_mm512_cmp_ps_mask(y, y, _CMP_UNORD_Q),
                                          _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q));
    const __m512i rounded = _mm512_mask_add_epi16(upper, up, upper, one);
    const __m512i quiet = _mm512_or_si512(upper, _mm512_set1_epi16(0x40));
    return _mm512_mask_blend_epi16(nan, rounded, quiet);
  };
  BFloat16* const to = static_cast<BFloat16*>(out);
  const float* const from = static_cast<const float*>(in[0]);
  std::int64_t i = 0;
  for (; i + 32 <= n; i += 32) {
    _mm512_storeu_si512(to + i, round(_mm512_loadu_ps(from + i), _mm512_loadu_ps(from + i + 16)));
  }
  for (; i < n; ++i) to[i] = from[i];
}
#endif

/// From this size on, memcpy may write past the cache.
constexpr std::int64_t kLargeCopy = 1 << 20;

template <int kSize>
void same_loop(void* out, const void* const* in, std::int64_t n, const Immediate*) {
  if (n * kSize < kLargeCopy) return copy_span(out, in[0], n * kSize);
  std::memcpy(out, in[0], static_cast<std::size_t>(n * kSize));
}

/// True for bool and the integers of one and two bytes.
template <class T>
constexpr bool kSmall = std::is_integral_v<T> && sizeof(T) <= 2;

// Narrow dtypes are converted through their math dtypes, which saves half of 100 loops; but not to
// each other if they are integers, because that would take several times as long.
template <class Out, class In>
constexpr Loop straight_loop() {
  constexpr ScalarType out = dtype_of<Out>(), in = dtype_of<In>();
  if constexpr (out == in) {
    return same_loop<sizeof(Out)>;
  } else if constexpr (kSmall<Out> && kSmall<In>) {
    // int8 as uint8 where the sign does not matter, which saves loops.
    using From = std::conditional_t<sizeof(In) == 1 && sizeof(Out) == 1, std::uint8_t, In>;
    if constexpr (out == kBool) return cast_loop<bool, From>;
    if constexpr (sizeof(Out) == sizeof(In)) return same_loop<1>;
    return cast_loop<std::conditional_t<sizeof(Out) == 1, std::uint8_t, Out>, In>;
  } else if constexpr ((!is_narrow(out) && !is_narrow(in)) || math_dtype(out) == in ||
                       math_dtype(in) == out ||
                       (out == kLong && math_dtype(in) == kInt) ||  // for sums of integers
                       (out == kByte && in == kDouble)) {           // cannot go through int32
    return cast_loop<Out, In>;
  } else {
    return nullptr;
  }
}

/// The loops, indexed by the numbers of both dtypes; null for casts through math dtypes.
struct CastTable {
  Loop loops[16][16];
};

template <class Out>
constexpr void add_casts(Loop (&row)[16]) {
#define TERN_DTYPE(name, type, number, file_name, python_name, category) \
  row[number] = straight_loop<Out, type>();
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
}

constexpr CastTable kCasts = [] {
  CastTable table{};
#define TERN_DTYPE(name, type, number, file_name, python_name, category) \
  add_casts<type>(table.loops[number]);
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
  return table;
}();

/// Packs both dtypes of a cast through the math dtypes into one argument of the loop.
constexpr Immediate pair_of(ScalarType out, ScalarType in) {
  return {0, static_cast<int>(out) * 16 + static_cast<int>(in)};
}

/// Casts block by block, so that the intermediate values stay in the cache.
void cast_in_steps(void* out, const void* const* in, std::int64_t n, const Immediate* dtypes) {
  constexpr std::int64_t kBlock = 512;
  const auto out_dtype = static_cast<ScalarType>(dtypes->i / 16);
  const auto in_dtype = static_cast<ScalarType>(dtypes->i % 16);
  const ScalarType steps[] = {math_dtype(in_dtype), math_dtype(out_dtype), out_dtype};
  const auto out_size = static_cast<std::int64_t>(element_size(out_dtype));
  const auto in_size = static_cast<std::int64_t>(element_size(in_dtype));
  alignas(64) char buffers[2][kBlock * 8];
  for (std::int64_t i = 0; i < n; i += kBlock) {
    const void* from = static_cast<const char*>(in[0]) + i * in_size;
    ScalarType here = in_dtype;
    int buffer = 0;
    for (const ScalarType next : steps) {
      if (next == here) continue;
      void* const to =
          next == out_dtype ? static_cast<char*>(out) + i * out_size : buffers[buffer ^= 1];
      cast_loop_of(next, here)(to, &from, std::min(kBlock, n - i), nullptr);
      from = to;
      here = next;
    }
  }
}

void copy(const CopyArgs& args, KernelContext&) {
  const Loop straight = cast_loop_of(args.out_dtype, args.in_dtype);
  const Loop loop = straight != nullptr ? straight : cast_in_steps;
  const Immediate pair = pair_of(args.out_dtype, args.in_dtype);
  const int in_size = static_cast<int>(element_size(args.in_dtype));
  const int out_size = static_cast<int>(element_size(args.out_dtype));
  const bool flat =
      args.ndim == 0 || (args.ndim == 1 && args.out_strides[0] == 1 && args.in_strides[0] == 1);
  if (flat) {
    parallel_for(0, args.ndim == 0 ? 1 : args.sizes[0], kCopyGrain,
                 [&](std::int64_t begin, std::int64_t end) {
                   const void* in = static_cast<const char*>(args.in) + begin * in_size;
                   loop(static_cast<char*>(args.out) + begin * out_size, &in, end - begin, &pair);
                 });
    return;
  }
  run_strided({args.in_dtype == args.out_dtype ? nullptr : &loop,
               &pair,
               1,
               args.ndim,
               args.sizes,
               args.out,
               args.out_strides,
               out_size,
               {{args.in, args.in_strides, in_size}},
               kCopyGrain});
}

}  // namespace

Loop cast_loop_of(ScalarType out, ScalarType in) {
  return kCasts.loops[static_cast<int>(out)][static_cast<int>(in)];
}

void register_copy(kernels::KernelTable& table) { kernels::set<kernels::CopyArgs, copy>(table); }

}  // namespace tern::cpu
