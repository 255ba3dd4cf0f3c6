#pragma once

#include <tern/backends/cpu/kernels/gemm/format.h>

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

/// Narrow elements that a tile of one row reads in place.
template <bool kIsHalf>
struct NarrowInPlace {
  Narrow element;
};

template <bool kIsHalf>
struct PackedElement<NarrowInPlace<kIsHalf>> {
  using Number = float;
  using Sum = Simd<float>::V;
  using V = Sum;
  static constexpr int kSteps = 1;

  static V load(const NarrowInPlace<kIsHalf>* from) {
    const Narrow* const elements = &from->element;
    return kIsHalf ? Format<Narrow>::load_half(elements) : Format<Narrow>::load_bfloat16(elements);
  }
  static V broadcast(NarrowInPlace<kIsHalf> x) {
    return Simd<float>::broadcast(Format<Narrow>(kIsHalf ? kHalf : kBFloat16).number(x.element));
  }
  static Sum multiply_add(V a, V b, Sum sum) { return Simd<float>::fma(a, b, sum); }
};

template <class E>
using NumberOf = typename PackedElement<E>::Number;

}  // namespace tern::cpu
