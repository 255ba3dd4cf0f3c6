#pragma once

#include <tern/core/tensor/tensor.h>

// Ops on the bits of integers and bools, and divisors of integers, elementwise; see arithmetic.h
// for shapes and devices.

namespace tern {

/// Returns the greatest common divisor of integers, at least 0. Throws NotImplementedError for
/// other dtypes.
TERN_API Tensor gcd(const Tensor& self, const Tensor& other);
TERN_API Tensor& gcd_(Tensor& self, const Tensor& other);
/// Returns the least common multiple of integers, at least 0. Throws NotImplementedError for other
/// dtypes.
TERN_API Tensor lcm(const Tensor& self, const Tensor& other);
TERN_API Tensor& lcm_(Tensor& self, const Tensor& other);
/// Returns the integer whose bits are set where both bits are set; logical_and() of bools. Throws
/// NotImplementedError for floating dtypes.
TERN_API Tensor bitwise_and(const Tensor& self, const Tensor& other);
TERN_API Tensor bitwise_and(const Tensor& self, const Scalar& other);
TERN_API Tensor bitwise_and(const Scalar& self, const Tensor& other);
TERN_API Tensor& bitwise_and_(Tensor& self, const Tensor& other);
TERN_API Tensor& bitwise_and_(Tensor& self, const Scalar& other);
/// Returns the integer whose bits are set where at least one bit is set; logical_or() of bools.
/// Throws NotImplementedError for floating dtypes.
TERN_API Tensor bitwise_or(const Tensor& self, const Tensor& other);
TERN_API Tensor bitwise_or(const Tensor& self, const Scalar& other);
TERN_API Tensor bitwise_or(const Scalar& self, const Tensor& other);
TERN_API Tensor& bitwise_or_(Tensor& self, const Tensor& other);
TERN_API Tensor& bitwise_or_(Tensor& self, const Scalar& other);
/// Returns the integer whose bits are set where exactly one bit is set; logical_xor() of bools.
/// Throws NotImplementedError for floating dtypes.
TERN_API Tensor bitwise_xor(const Tensor& self, const Tensor& other);
TERN_API Tensor bitwise_xor(const Tensor& self, const Scalar& other);
TERN_API Tensor bitwise_xor(const Scalar& self, const Tensor& other);
TERN_API Tensor& bitwise_xor_(Tensor& self, const Tensor& other);
TERN_API Tensor& bitwise_xor_(Tensor& self, const Scalar& other);
/// Returns every bit inverted: -1 - self; logical_not() of bools. Throws NotImplementedError
/// for floating dtypes.
TERN_API Tensor bitwise_not(const Tensor& self);
TERN_API Tensor& bitwise_not_(Tensor& self);
/// Returns the integer with its bits moved left by `other`: self * 2^other, which wraps around. 0
/// if `other` is negative or at least the width of the dtype. Throws NotImplementedError for
/// floating dtypes and bool.
TERN_API Tensor bitwise_left_shift(const Tensor& self, const Tensor& other);
TERN_API Tensor bitwise_left_shift(const Tensor& self, const Scalar& other);
TERN_API Tensor bitwise_left_shift(const Scalar& self, const Tensor& other);
TERN_API Tensor& bitwise_left_shift_(Tensor& self, const Tensor& other);
TERN_API Tensor& bitwise_left_shift_(Tensor& self, const Scalar& other);
/// Returns the integer with its bits moved right by `other`: self / 2^other rounded down. 0 or -1
/// if `other` is negative or at least the width of the dtype. Throws NotImplementedError for
/// floating dtypes and bool.
TERN_API Tensor bitwise_right_shift(const Tensor& self, const Tensor& other);
TERN_API Tensor bitwise_right_shift(const Tensor& self, const Scalar& other);
TERN_API Tensor bitwise_right_shift(const Scalar& self, const Tensor& other);
TERN_API Tensor& bitwise_right_shift_(Tensor& self, const Tensor& other);
TERN_API Tensor& bitwise_right_shift_(Tensor& self, const Scalar& other);
/// Same as bitwise_and().
inline Tensor operator&(const Tensor& a, const Tensor& b) { return bitwise_and(a, b); }
inline Tensor operator&(const Tensor& a, const Scalar& b) { return bitwise_and(a, b); }
inline Tensor operator&(const Scalar& a, const Tensor& b) { return bitwise_and(a, b); }
/// Same as bitwise_or().
inline Tensor operator|(const Tensor& a, const Tensor& b) { return bitwise_or(a, b); }
inline Tensor operator|(const Tensor& a, const Scalar& b) { return bitwise_or(a, b); }
inline Tensor operator|(const Scalar& a, const Tensor& b) { return bitwise_or(a, b); }
/// Same as bitwise_xor().
inline Tensor operator^(const Tensor& a, const Tensor& b) { return bitwise_xor(a, b); }
inline Tensor operator^(const Tensor& a, const Scalar& b) { return bitwise_xor(a, b); }
inline Tensor operator^(const Scalar& a, const Tensor& b) { return bitwise_xor(a, b); }
/// Same as bitwise_left_shift().
inline Tensor operator<<(const Tensor& a, const Tensor& b) { return bitwise_left_shift(a, b); }
inline Tensor operator<<(const Tensor& a, const Scalar& b) { return bitwise_left_shift(a, b); }
inline Tensor operator<<(const Scalar& a, const Tensor& b) { return bitwise_left_shift(a, b); }
/// Same as bitwise_right_shift().
inline Tensor operator>>(const Tensor& a, const Tensor& b) { return bitwise_right_shift(a, b); }
inline Tensor operator>>(const Tensor& a, const Scalar& b) { return bitwise_right_shift(a, b); }
inline Tensor operator>>(const Scalar& a, const Tensor& b) { return bitwise_right_shift(a, b); }

}  // namespace tern
