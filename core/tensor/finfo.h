#pragma once

#include <cstdint>

#include <tern/core/base/visibility.h>
#include <tern/core/tensor/dtype.h>

namespace tern {

/// The limits of a floating dtype, as torch.finfo in Python. All numbers are exact as double,
/// except the resolution.
struct FloatInfo {
  ScalarType dtype;        ///< The dtype.
  int bits;                ///< The size of an element in bits.
  double eps;              ///< The difference between 1 and the next larger number.
  double max;              ///< The largest finite number.
  double min;              ///< The smallest finite number, -max.
  double smallest_normal;  ///< The smallest positive number with full precision.
  double tiny;             ///< The same as smallest_normal.
  double resolution;       ///< 10^-n; n decimal digits survive rounding to the dtype.
};

/// The limits of an integral dtype, as torch.iinfo in Python.
struct IntInfo {
  ScalarType dtype;  ///< The dtype.
  int bits;          ///< The size of an element in bits.
  std::int64_t max;  ///< The largest number.
  std::int64_t min;  ///< The smallest number.
};

/// Returns the limits of a floating dtype. Throws DTypeError for other dtypes.
///
/// Example:
///   scores.masked_fill_(mask, tern::finfo(scores.dtype()).min);
TERN_API FloatInfo finfo(ScalarType dtype = get_default_dtype());

/// Returns the limits of an integral dtype. Throws DTypeError for floating dtypes and bool.
TERN_API IntInfo iinfo(ScalarType dtype);

}  // namespace tern
