#pragma once

#include <algorithm>

#include <tern/backends/cpu/kernels/gemm/format.h>

// Packing puts rows of A, or columns of B, side by side, so that the micro-kernel reads a short
// contiguous run of memory per step of k.

namespace tern::cpu {

/// Computes one half of an exchange between lane bit kStep and the choice "x or y": takes the lanes
/// of x and y with the bit clear (kUpper: set), and puts those of y where the bit is set.
template <class T, int kStep, bool kUpper, int... lane>
[[gnu::always_inline]] inline Vector<T> exchange_lanes(Vector<T> x, Vector<T> y,
                                                       std::integer_sequence<int, lane...>) {
  constexpr int kY = kLanes<T>;
  return __builtin_shufflevector(
      x, y, (((lane & kStep) != 0 ? kY + lane - kStep : lane) + (kUpper ? kStep : 0))...);
}

/// On entry vector i holds line i. On return vector j holds, in groups of kLines lanes, the
/// elements j, j + kLines, j + 2 * kLines, ... of all lines.
template <class T, int kLines, int kStep = 1>
[[gnu::always_inline]] inline void transpose(Vector<T> (&lines)[kLines]) {
  if constexpr (kStep < kLines) {
    constexpr auto kLaneNumbers = std::make_integer_sequence<int, kLanes<T>>();
#pragma GCC unroll 16
    for (int i = 0; i < kLines; ++i) {
      if ((i & kStep) != 0) continue;
      const auto x = lines[i], y = lines[i + kStep];
      lines[i] = exchange_lanes<T, kStep, false>(x, y, kLaneNumbers);
      lines[i + kStep] = exchange_lanes<T, kStep, true>(x, y, kLaneNumbers);
    }
    transpose<T, kLines, kStep * 2>(lines);
  }
}

/// Packs `count` steps, at most a vector of them, of contiguous lines; see pack(). kWhole:
/// exactly a vector.
template <class T, int kLines, bool kWhole>
[[gnu::always_inline]] inline void pack_vectors(T* to, std::int64_t to_step, const T* from,
                                                std::int64_t line_stride, int lines, int count) {
  Vector<T> block[kLines];
#pragma GCC unroll 16
  for (int i = 0; i < kLines; ++i) {
    const T* const line = from + (i < lines ? i : lines - 1) * line_stride;
    block[i] = kWhole ? load(line) : load_first(line, count);
  }
  transpose<T, kLines>(block);
#pragma GCC unroll 16
  for (int j = 0; j < kLines; ++j) {
#pragma GCC unroll 16
    for (int first = 0; first < kLanes<T>; first += kLines) {
      if (!kWhole && first + j >= count) continue;
      std::memcpy(to + (first + j) * to_step, reinterpret_cast<const T*>(&block[j]) + first,
                  kLines * sizeof(T));
    }
  }
}

/// Does the same as pack() with vectors along contiguous lines. Returns the number of steps done.
template <class T, int kLines>
std::int64_t pack_transposed(T* to, std::int64_t to_step, const T* from, std::int64_t line_stride,
                             int lines, std::int64_t count) {
  std::int64_t p = 0;
  for (; p + kLanes<T> <= count; p += kLanes<T>) {
    pack_vectors<T, kLines, true>(to + p * to_step, to_step, from + p, line_stride, lines,
                                  kLanes<T>);
  }
  // A rest of half a vector or more (a kernel of 3 x 3 has nine steps) is faster as a vector.
  if constexpr (kVectorBytes == 64 && 2 * kLines >= kLanes<T>) {
    if (const std::int64_t left = count - p; 2 * left >= kLanes<T>) {
      pack_vectors<T, kLines, false>(to + p * to_step, to_step, from + p, line_stride, lines,
                                     static_cast<int>(left));
      p = count;
    }
  }
  return p;
}

/// Sets to[p * to_step + i] = from[i * line_stride + p * step] for i < kLines, a power of two, and
/// p < count. Elements of lines from number `lines` on are arbitrary.
template <class T, int kLines>
void pack(T* to, std::int64_t to_step, const T* from, std::int64_t line_stride, std::int64_t step,
          int lines, std::int64_t count) {
  if constexpr (kLines > kLanes<T>) {
    constexpr int kHalf = kLines / 2;
    pack<T, kHalf>(to, to_step, from, line_stride, step, kHalf, count);
    pack<T, kHalf>(to + kHalf, to_step, from + kHalf * line_stride, line_stride, step,
                   lines - kHalf, count);
  } else {
    std::int64_t p = 0;
    if (line_stride == 1 && lines == kLines) {
      for (; p < count; ++p) std::memcpy(to + p * to_step, from + p * step, kLines * sizeof(T));
    } else if (line_stride == 1 && kLines == kLanes<T>) {
      for (; p < count; ++p) store(to + p * to_step, load_first(from + p * step, lines));
    } else if (step == 1) {
      p = pack_transposed<T, kLines>(to, to_step, from, line_stride, lines, count);
    }
    for (; p < count; ++p) {
      for (int i = 0; i < lines; ++i) to[p * to_step + i] = from[i * line_stride + p * step];
    }
  }
}

/// Sets to[p * to_step + i] = from[i * line_stride + p] for i < lines and p < count. Does kLines
/// lines, a power of two, at a time, and then fewer: a kernel of 3 x 3 has nine.
template <class T, int kLines>
void transpose_lines(T* to, std::int64_t to_step, const T* from, std::int64_t line_stride,
                     std::int64_t lines, std::int64_t count) {
  for (; lines >= kLines; lines -= kLines, to += kLines, from += kLines * line_stride) {
    pack<T, kLines>(to, to_step, from, line_stride, 1, kLines, count);
  }
  if constexpr (kLines > 1) {
    if (lines > 0) transpose_lines<T, kLines / 2>(to, to_step, from, line_stride, lines, count);
  }
}

/// Packs `count` steps of k of up to kLines lines into elements that hold one step; see pack().
template <int kLines, class T>
void pack_steps(const Format<T>&, T* to, const T* from, std::int64_t line_stride, std::int64_t step,
                int lines, std::int64_t count) {
  pack<T, kLines>(to, kLines, from, line_stride, step, lines, count);
}

/// Converts to[i * to_stride + p] = from[i * line_stride + p * step] for i < lines, p < count. Not
/// inlined: it has a caller per size of tile.
[[gnu::noinline]] inline void load_lines(const Format<Narrow>& format, float* to,
                                         std::int64_t to_stride, const Narrow* from,
                                         std::int64_t line_stride, std::int64_t step,
                                         std::int64_t lines, std::int64_t count) {
  for (; lines > 0; --lines, to += to_stride, from += line_stride) {
    if (step == 1) {
      load_span(format, to, from, count);
    } else {
      for (std::int64_t p = 0; p < count; ++p) to[p] = format.number(from[p * step]);
    }
  }
}

/// Does the same as for T and converts the elements.
template <int kLines>
void pack_steps(const Format<Narrow>& format, float* to, const Narrow* from,
                std::int64_t line_stride, std::int64_t step, int lines, std::int64_t count) {
  constexpr std::int64_t kRun = 64;  // what is converted at once stays in the first-level cache
  if (line_stride == 1 && lines == kLines) {
    Narrow packed[kLines * kRun];
    for (std::int64_t p = 0; p < count; p += kRun) {
      const std::int64_t n = std::min(kRun, count - p);
      for (std::int64_t i = 0; i < n; ++i) {
        std::memcpy(packed + i * kLines, from + (p + i) * step, kLines * sizeof(Narrow));
      }
      load_lines(format, to + p * kLines, 0, packed, 0, 1, 1, n * kLines);
    }
    return;
  }
  if (line_stride == 1) return load_lines(format, to, kLines, from, step, 1, count, lines);
  alignas(kVectorBytes) float numbers[kLines * kRun];
  for (std::int64_t p = 0; p < count; p += kRun) {
    const std::int64_t n = std::min(kRun, count - p);
    load_lines(format, numbers, kRun, from + p * step, line_stride, step, lines, n);
    pack<float, kLines>(to + p * kLines, kLines, numbers, kRun, 1, lines, n);
  }
}

}  // namespace tern::cpu
