#pragma once

#include <tern/backends/cpu/kernels/gemm/format.h>

namespace tern::cpu {

/// The format of packed operands: E holds kSteps steps of k of a row or column. Here E is the
/// number itself; gemm_bfloat16.h defines another format.
template <class E>
struct PackedElement {
  using Number = E;
  using Sum = Vector<E>;
  using V = Vector<E>;
  static constexpr int kSteps = 1;

  static V load(const E* from) { return cpu::load(from); }
  static V broadcast(E value) { return cpu::broadcast<E>(value); }
  /// Returns the sum plus, in each lane, the products of all steps.
  static Sum multiply_add(V a, V b, Sum sum) { return cpu::fma(a, b, sum); }
};

/// Narrow elements that a tile of one row reads in place.
template <bool kIsHalf>
struct NarrowInPlace {
  Narrow element;
};

template <bool kIsHalf>
struct PackedElement<NarrowInPlace<kIsHalf>> {
  using Number = float;
  using Sum = Vector<float>;
  using V = Sum;
  static constexpr int kSteps = 1;

  static V load(const NarrowInPlace<kIsHalf>* from) {
    const Narrow* const elements = &from->element;
    return kIsHalf ? Format<Narrow>::load_half(elements) : Format<Narrow>::load_bfloat16(elements);
  }
  static V broadcast(NarrowInPlace<kIsHalf> x) {
    return cpu::broadcast<float>(Format<Narrow>(kIsHalf ? kHalf : kBFloat16).number(x.element));
  }
  static Sum multiply_add(V a, V b, Sum sum) { return cpu::fma(a, b, sum); }
};

template <class E>
using NumberOf = typename PackedElement<E>::Number;

}  // namespace tern::cpu
