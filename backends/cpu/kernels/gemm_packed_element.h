#pragma once

#include <tern/backends/cpu/kernels/gemm_simd.h>

namespace tern::cpu {

/// The format of packed operands: E holds kSteps steps of k of a row or column. Here E is the
/// number itself; gemm_bfloat16.h defines another format.
template <class E>
struct PackedElement {
  using Number = E;
  using Sum = typename Simd<E>::V;
  using V = typename Simd<E>::V;
  static constexpr int kSteps = 1;

  static V load(const E* from) { return Simd<E>::load(from); }
  static V broadcast(E value) { return Simd<E>::broadcast(value); }
  /// Returns the sum plus, in each lane, the products of all steps.
  static Sum multiply_add(V a, V b, Sum sum) { return Simd<E>::fma(a, b, sum); }
};

template <class E>
using NumberOf = typename PackedElement<E>::Number;

}  // namespace tern::cpu
