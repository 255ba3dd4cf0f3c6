#pragma once

#include <tern/backends/cpu/kernels/gemm/packed_element.h>

namespace tern::cpu {

/// A tile of C that fits into the registers with a row of B and one number of A: kTileRows rows of
/// kTileVectors vectors, or one row of kRowVectors. AVX-512 and NEON have 32 registers, others 16.
#if defined(__AVX512F__) || defined(__aarch64__)
inline constexpr int kTileRows = 8;
#else
inline constexpr int kTileRows = 4;
#endif
inline constexpr int kTileVectors = 3;
inline constexpr int kRowVectors = 8;

/// The rows of A that are packed at once, and what a thread needs while it multiplies.
template <class E>
inline constexpr int kStripRows = kTileRows;
template <class E>
struct TileRegion {};

/// The input of a tile. Element (i, p) of A is a[i * a_row + p * a_step]; lane l of vector j of row
/// p of B is b[p * b_step + j * b_vector + l]; p < count.
template <class E>
struct TileInput {
  const E* a;
  std::int64_t a_row, a_step;
  const E* b;
  std::int64_t b_step, b_vector;
  std::int64_t count;
};

/// The output of a tile: c = alpha * product + beta * c + bias.
template <class T>
struct TileOutput {
  T* c;
  std::int64_t c_row;
  const T* bias;   // null: none
  T alpha, beta;   // beta == 0 does not read c
  int last_lanes;  // number of valid lanes in a row's last vector
};

template <class E, int kRows, int kVectors>
void multiply_tile(const TileInput<E>& in, const TileOutput<NumberOf<E>>& output) {
  using P = PackedElement<E>;
  using T = NumberOf<E>;
  using V = Vector<T>;
  V sum[kRows][kVectors] = {};

  const E* a = in.a;
  const E* b = in.b;
  for (std::int64_t p = 0; p < in.count; ++p) {
    typename P::V row[kVectors];
#pragma GCC unroll 8
    for (int j = 0; j < kVectors; ++j) row[j] = P::load(b + j * in.b_vector);
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      const auto factor = P::broadcast(a[i * in.a_row]);
#pragma GCC unroll 8
      for (int j = 0; j < kVectors; ++j) sum[i][j] = P::multiply_add(factor, row[j], sum[i][j]);
    }
    a += in.a_step;
    b += in.b_step;
  }

  const TileOutput<T> out = output;
  const auto for_each = [&](auto&& change) {
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
      for (int j = 0; j < kVectors; ++j) {
        change(sum[i][j], out.c + i * out.c_row + j * kLanes<T>, j);
      }
    }
  };
  const bool partial = out.last_lanes < kLanes<T>;
  const auto load = [&](const T* from, int j) {
    return partial && j == kVectors - 1 ? load_first(from, out.last_lanes) : cpu::load(from);
  };
  if (out.alpha != T(1)) for_each([&](V& x, T*, int) { x *= out.alpha; });
  if (out.beta != T(0)) {
    const V beta = broadcast<T>(out.beta);
    for_each([&](V& x, const T* c, int j) { x = fma(beta, load(c, j), x); });
  }
  if (out.bias != nullptr) {
    V bias[kVectors];
#pragma GCC unroll 8
    for (int j = 0; j < kVectors; ++j) bias[j] = load(out.bias + j * kLanes<T>, j);
    for_each([&](V& x, T*, int j) { x += bias[j]; });
  }
  for_each([&](V x, T* c, int j) {
    if (partial && j == kVectors - 1) {
      store_first(c, x, out.last_lanes);
    } else {
      store(c, x);
    }
  });
}

}  // namespace tern::cpu
