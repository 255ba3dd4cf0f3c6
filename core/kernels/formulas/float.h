#pragma once

#include <tern/core/kernels/formulas/formula.h>
#include <tern/core/kernels/math/bessel.h>
#include <tern/core/kernels/math/binary.h>
#include <tern/core/kernels/math/error_function.h>
#include <tern/core/kernels/math/exp_log.h>
#include <tern/core/kernels/math/gamma.h>
#include <tern/core/kernels/math/hyperbolic.h>
#include <tern/core/kernels/math/incomplete_gamma.h>
#include <tern/core/kernels/math/inverse_trig.h>
#include <tern/core/kernels/math/trig.h>

// Functions of floating-point inputs: the formulas that stand in the rows of elementwise.def.

namespace tern::kernels::formulas {

#define TERN_FUNCTION(name, cost, accuracy, casts, node, saved, formula, reference, gradient) \
  struct name : Formula {                                                                     \
    template <class T>                                                                        \
    TERN_HOST_DEVICE static T value(T a) {                                                    \
      return formula;                                                                         \
    }                                                                                         \
  };
#define TERN_BOUNDED_FUNCTION(name, cost, accuracy, casts, node, saved, formula, reference, \
                              gradient, test, formula_of_bounded)                           \
  struct name : Formula {                                                                   \
    template <class T>                                                                      \
    TERN_HOST_DEVICE static T value(T a) {                                                  \
      return formula;                                                                       \
    }                                                                                       \
    template <class T>                                                                      \
    TERN_HOST_DEVICE static bool bounded(T a) {                                             \
      return test;                                                                          \
    }                                                                                       \
    template <class T>                                                                      \
    TERN_HOST_DEVICE static T bounded_value(T a) {                                          \
      return formula_of_bounded;                                                            \
    }                                                                                       \
  };
#define TERN_FUNCTION_OF_TWO(name, cost, accuracy, loops, traits, formula, reference) \
  struct name : Formula {                                                             \
    template <class T>                                                                \
    TERN_HOST_DEVICE static T value(T a, T b) {                                       \
      return formula;                                                                 \
    }                                                                                 \
  };
#include <tern/core/kernels/families/elementwise.def>

}  // namespace tern::kernels::formulas
