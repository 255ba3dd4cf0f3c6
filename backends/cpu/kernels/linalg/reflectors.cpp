// Instruction sets: baseline.

#define EIGEN_DONT_PARALLELIZE  // the thread pool splits the batch

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/Core>

#include <tern/backends/cpu/kernels/linalg/reflectors.h>
#include <tern/backends/cpu/kernels/support/vector.h>

namespace tern::cpu {
namespace {

constexpr std::int64_t kBlock = 32;  // reflectors that are applied together, in matrix products

/// c [rows, columns] += alpha op(a) b, where op transposes a if kTransposed.
template <bool kTransposed, class T>
void add_product(std::int64_t rows, std::int64_t columns, std::int64_t depth, T alpha, const T* a,
                 std::int64_t a_stride, const T* b, std::int64_t b_stride, T* c,
                 std::int64_t c_stride) {
  namespace inner = Eigen::internal;
  constexpr int kLayout = kTransposed ? Eigen::RowMajor : Eigen::ColMajor;
  inner::gemm_blocking_space<Eigen::ColMajor, T, T, Eigen::Dynamic, Eigen::Dynamic, Eigen::Dynamic>
      blocking(rows, columns, depth, 1, true);
  inner::general_matrix_matrix_product<Eigen::Index, T, kLayout, false, T, Eigen::ColMajor, false,
                                       Eigen::ColMajor, 1>::run(rows, columns, depth, a, a_stride,
                                                                b, b_stride, c, 1, c_stride, alpha,
                                                                blocking, nullptr);
}

template <class T>
T lane_sum(Vector<T> lanes) {
  T sum = 0;
  for (int lane = 0; lane < kLanes<T>; ++lane) sum += lanes[lane];
  return sum;
}

template <class T>
T square_sum(const T* x, std::int64_t n) {
  Vector<T> sums[4] = {};
  std::int64_t i = 0;
  for (; i + 4 * kLanes<T> <= n; i += 4 * kLanes<T>) {
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      const auto lanes = load(x + i + k * kLanes<T>);
      sums[k] += lanes * lanes;
    }
  }
  T sum = lane_sum<T>((sums[0] + sums[1]) + (sums[2] + sums[3]));
  for (; i < n; ++i) sum += x[i] * x[i];
  return sum;
}

/// Finds the reflector that maps x to a multiple of the first unit vector, and returns the
/// multiple. Replaces the elements x[1], x[2], ... by those of the reflector.
template <class T>
T make_reflector(T* x, std::int64_t n, T& tau) {
  const T first = x[0], rest = square_sum(x + 1, n - 1);
  if (rest <= std::numeric_limits<T>::min()) {
    std::fill(x + 1, x + n, T(0));
    tau = 0;
    return first;
  }
  const T norm = std::sqrt(first * first + rest), multiple = first >= 0 ? -norm : norm;
  for (std::int64_t i = 1; i < n; ++i) x[i] /= first - multiple;
  tau = (multiple - first) / multiple;
  return multiple;
}

/// Subtracts right[k] z from each column k, and then applies the reflector (v, tau) to them. z may
/// be null.
template <int kColumns, bool kHasZ, class T>
void update_and_reflect(std::int64_t n, const T* z, const T* right, const T* v, T tau, T* columns,
                        std::int64_t stride) {
  Vector<T> sums[kColumns] = {};
  T products[kColumns];
#pragma GCC unroll 4
  for (int k = 0; k < kColumns; ++k) {
    if (kHasZ) columns[k * stride] -= right[k] * z[0];
    products[k] = columns[k * stride];
  }
  std::int64_t i = 1;
  for (; i + kLanes<T> <= n; i += kLanes<T>) {
#pragma GCC unroll 4
    for (int k = 0; k < kColumns; ++k) {
      auto lanes = load(columns + k * stride + i);
      if (kHasZ) {
        lanes -= broadcast<T>(right[k]) * load(z + i);
        store(columns + k * stride + i, lanes);
      }
      sums[k] += lanes * load(v + i);
    }
  }
#pragma GCC unroll 4
  for (int k = 0; k < kColumns; ++k) products[k] += lane_sum<T>(sums[k]);
  for (std::int64_t rest = i; rest < n; ++rest) {
#pragma GCC unroll 4
    for (int k = 0; k < kColumns; ++k) {
      T& element = columns[k * stride + rest];
      if (kHasZ) element -= right[k] * z[rest];
      products[k] += element * v[rest];
    }
  }
#pragma GCC unroll 4
  for (int k = 0; k < kColumns; ++k) {
    products[k] *= tau;
    columns[k * stride] -= products[k];
  }
  for (i = 1; i + kLanes<T> <= n; i += kLanes<T>) {
#pragma GCC unroll 4
    for (int k = 0; k < kColumns; ++k) {
      T* const at = columns + k * stride + i;
      store(at, load(at) - broadcast<T>(products[k]) * load(v + i));
    }
  }
  for (; i < n; ++i) {
#pragma GCC unroll 4
    for (int k = 0; k < kColumns; ++k) columns[k * stride + i] -= products[k] * v[i];
  }
}

template <bool kHasZ = false, class T>
void reflect(std::int64_t n, const T* v, T tau, T* c, std::int64_t stride, std::int64_t columns,
             const T* z = nullptr, const T* right = nullptr) {
  std::int64_t j = 0;
  for (; j + 4 <= columns; j += 4) {
    update_and_reflect<4, kHasZ>(n, z, right + j, v, tau, c + j * stride, stride);
  }
  for (; j < columns; ++j) {
    update_and_reflect<1, kHasZ>(n, z, right + j, v, tau, c + j * stride, stride);
  }
}

/// z = the sum of right[j] times column j.
template <class T>
void sum_columns(std::int64_t n, const T* a, std::int64_t stride, const T* right,
                 std::int64_t columns, T* __restrict z) {
  std::fill(z, z + n, T(0));
  std::int64_t j = 0;
  for (; j + 4 <= columns; j += 4) {
    const T *a0 = a + j * stride, *a1 = a0 + stride, *a2 = a1 + stride, *a3 = a2 + stride;
    const T r0 = right[j], r1 = right[j + 1], r2 = right[j + 2], r3 = right[j + 3];
    for (std::int64_t i = 0; i < n; ++i) {
      z[i] += (r0 * a0[i] + r1 * a1[i]) + (r2 * a2[i] + r3 * a3[i]);
    }
  }
  for (; j < columns; ++j) {
    for (std::int64_t i = 0; i < n; ++i) z[i] += right[j] * a[j * stride + i];
  }
}

/// The product of up to kBlock reflectors as I - v t v^T with an upper triangular t.
template <class T>
struct Block {
  std::vector<T> v, t, first, second;

  void set(std::int64_t rows, std::int64_t count, const T* vectors, std::int64_t stride,
           const T* tau) {
    v.resize(static_cast<std::size_t>(rows * count));
    for (std::int64_t j = 0; j < count; ++j) {
      T* const column = v.data() + j * rows;
      std::fill(column, column + j, T(0));
      column[j] = 1;
      const T* const from = vectors + j * stride;
      std::copy(from + j + 1, from + rows, column + j + 1);
    }
    std::vector<T> products(static_cast<std::size_t>(count * count));
    add_product<true, T>(count, count, rows, 1, v.data(), rows, v.data(), rows, products.data(),
                         count);
    t.assign(static_cast<std::size_t>(count * count), T(0));
    for (std::int64_t j = 0; j < count; ++j) {
      T* const column = t.data() + j * count;
      for (std::int64_t k = 0; k < j; ++k) {
        const T factor = -tau[j] * products[static_cast<std::size_t>(j * count + k)];
        for (std::int64_t i = 0; i <= k; ++i)
          column[i] += factor * t[static_cast<std::size_t>(k * count + i)];
      }
      column[j] = tau[j];
    }
  }

  /// Multiplies c [rows, columns] with the block or with its transpose.
  template <bool kTransposed>
  void apply(std::int64_t rows, std::int64_t count, T* c, std::int64_t stride,
             std::int64_t columns) {
    first.assign(static_cast<std::size_t>(count * columns), T(0));
    second.assign(static_cast<std::size_t>(count * columns), T(0));
    add_product<true, T>(count, columns, rows, 1, v.data(), rows, c, stride, first.data(), count);
    add_product<kTransposed, T>(count, columns, count, 1, t.data(), count, first.data(), count,
                                second.data(), count);
    add_product<false, T>(rows, columns, count, -1, v.data(), rows, second.data(), count, c,
                          stride);
  }
};

}  // namespace

template <class T>
void factor_qr(T* a, std::int64_t rows, std::int64_t columns, T* tau) {
  const std::int64_t count = std::min(rows, columns);
  Block<T> block;
  for (std::int64_t start = 0; start < count; start += kBlock) {
    const std::int64_t end = std::min(start + kBlock, count);
    for (std::int64_t j = start; j < end; ++j) {
      T* const v = a + j * rows + j;
      *v = make_reflector(v, rows - j, tau[j]);
      reflect(rows - j, v, tau[j], v + rows, rows, std::min(start + kBlock, columns) - j - 1);
    }
    const std::int64_t right = start + kBlock;
    if (right >= columns) continue;
    T* const corner = a + start * rows + start;
    block.set(rows - start, end - start, corner, rows, tau + start);
    block.template apply<true>(rows - start, end - start, a + right * rows + start, rows,
                               columns - right);
  }
}

template <class T>
void form_q(T* a, std::int64_t rows, std::int64_t stride, std::int64_t count, std::int64_t columns,
            const T* tau) {
  const auto set_identity = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t j = first; j < last; ++j) {
      std::fill(a + j * stride, a + j * stride + rows, T(0));
      a[j * stride + j] = 1;
    }
  };
  set_identity(count, columns);
  if (count < kBlock + kBlock / 2) {
    for (std::int64_t j = count - 1; j >= 0; --j) {
      T* const v = a + j * stride + j;
      reflect(rows - j, v, tau[j], v + stride, stride, columns - j - 1);
      std::fill(v - j, v, T(0));
      v[0] = 1 - tau[j];
      for (std::int64_t i = 1; i < rows - j; ++i) v[i] *= -tau[j];
    }
    return;
  }
  Block<T> block;
  for (std::int64_t start = (count - 1) / kBlock * kBlock; start >= 0; start -= kBlock) {
    const std::int64_t end = std::min(start + kBlock, count);
    T* const corner = a + start * stride + start;
    block.set(rows - start, end - start, corner, stride, tau + start);
    set_identity(start, end);
    block.template apply<false>(rows - start, end - start, corner, stride, columns - start);
  }
}

// Each step updates the rest of the matrix twice, from the left and from the right. The second
// update waits until the first of the next step passes over the same column.
template <class T>
void bidiagonalize(T* a, std::int64_t rows, std::int64_t columns, T* tau, T* right,
                   std::int64_t right_stride, T* right_tau, T* diagonal, T* above) {
  std::vector<T> sums(static_cast<std::size_t>(rows));
  T* const z = sums.data();
  const T* last = nullptr;  // the vector of the waiting update, its first element for column k
  for (std::int64_t k = 0; k < columns; ++k) {
    T* const u = a + k * rows + k;
    const std::int64_t below = rows - k, after = columns - k - 1;
    if (last != nullptr) {
      for (std::int64_t i = 0; i < below; ++i) u[i] -= last[0] * z[k + i];
    }
    *u = diagonal[k] = make_reflector(u, below, tau[k]);
    if (last != nullptr) {
      reflect<true>(below, u, tau[k], u + rows, rows, after, z + k, last + 1);
    } else {
      reflect(below, u, tau[k], u + rows, rows, after);
    }
    if (after == 0) break;
    T* const v = right + k * right_stride + k;
    for (std::int64_t j = 0; j < after; ++j) v[j] = u[(j + 1) * rows];
    above[k] = make_reflector(v, after, right_tau[k]);
    v[0] = 1;
    last = v;
    if (below > 1) {
      sum_columns(below - 1, u + rows + 1, rows, v, after, z + k + 1);
      for (std::int64_t i = k + 1; i < rows; ++i) z[i] *= right_tau[k];
    }
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): T is a type
#define TERN_INSTANTIATE(T)                                                                   \
  template void factor_qr(T*, std::int64_t, std::int64_t, T*);                                \
  template void form_q(T*, std::int64_t, std::int64_t, std::int64_t, std::int64_t, const T*); \
  template void bidiagonalize(T*, std::int64_t, std::int64_t, T*, T*, std::int64_t, T*, T*, T*);
// NOLINTEND(bugprone-macro-parentheses)
TERN_INSTANTIATE(float)
TERN_INSTANTIATE(double)

}  // namespace tern::cpu
