#pragma once

#include <cstdint>

// Householder reflections of column-major matrices. Eigen's are templates that take long to compile
// and are no faster.

namespace tern::cpu {

// A matrix Q is the product H_0 H_1 ... of reflectors H_j = I - tau[j] v_j v_j^T. v_j is 0 above
// element j and 1 there; the elements below are stored under the diagonal, in column j.

/// Replaces a [rows, columns] by R, with the reflectors of Q under its diagonal. `tau` has one
/// element per reflector, the smaller of rows and columns. Throws std::bad_alloc, as all here.
template <class T>
void factor_qr(T* a, std::int64_t rows, std::int64_t columns, T* tau);

/// Replaces `count` reflectors under the diagonal of `a` by the first `columns` columns of Q,
/// count <= columns <= rows. `stride` is the distance of columns.
template <class T>
void form_q(T* a, std::int64_t rows, std::int64_t stride, std::int64_t count, std::int64_t columns,
            const T* tau);

/// Factors a [rows, columns] = Q B P^T, rows >= columns, where B has elements on the diagonal and
/// right above it: `diagonal` and `above`. Leaves the reflectors of Q under the diagonal of `a`.
/// The first row and column of P are those of the identity; the reflectors of the rest of P go
/// under the diagonal of `right`.
template <class T>
void bidiagonalize(T* a, std::int64_t rows, std::int64_t columns, T* tau, T* right,
                   std::int64_t right_stride, T* right_tau, T* diagonal, T* above);

}  // namespace tern::cpu
