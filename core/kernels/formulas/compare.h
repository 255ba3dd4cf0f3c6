#pragma once

#include <tern/core/kernels/formulas/formula.h>

// Formulas of two inputs with a bool result.

namespace tern::kernels::formulas {

struct eq : Formula {
  template <class T>
  TERN_HOST_DEVICE static bool value(T a, T b) {
    return a == b;
  }
};

struct ne : Formula {
  template <class T>
  TERN_HOST_DEVICE static bool value(T a, T b) {
    return a != b;
  }
};

struct lt : Formula {
  template <class T>
  TERN_HOST_DEVICE static bool value(T a, T b) {
    return a < b;
  }
};

struct le : Formula {
  template <class T>
  TERN_HOST_DEVICE static bool value(T a, T b) {
    return a <= b;
  }
};

struct gt : Formula {
  template <class T>
  TERN_HOST_DEVICE static bool value(T a, T b) {
    return a > b;
  }
};

struct ge : Formula {
  template <class T>
  TERN_HOST_DEVICE static bool value(T a, T b) {
    return a >= b;
  }
};

struct logical_and : Formula {
  template <class T>
  TERN_HOST_DEVICE static bool value(T a, T b) {
    return (a != 0) & (b != 0);
  }
};

struct logical_or : Formula {
  template <class T>
  TERN_HOST_DEVICE static bool value(T a, T b) {
    return (a != 0) | (b != 0);
  }
};

struct logical_xor : Formula {
  template <class T>
  TERN_HOST_DEVICE static bool value(T a, T b) {
    return (a != 0) != (b != 0);
  }
};

}  // namespace tern::kernels::formulas
