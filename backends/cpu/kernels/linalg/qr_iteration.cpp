// Instruction sets: baseline.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <tern/backends/cpu/kernels/linalg/qr_iteration.h>

namespace tern::cpu {
namespace {

/// A rotation of two columns. Computed in double also for float matrices: rounding errors of
/// hundreds of rotations add up.
struct Rotation {
  double c, s;

  /// Returns the rotation that turns (f, g) into (r, 0), and sets f to r.
  static Rotation make(double& f, double g) {
    const double square = f * f + g * g;
    if (square > kSmall && square < 1 / kSmall) {
      const double x = f, y = g, length = std::sqrt(square);
      f = length;
      return {x / length, y / length};
    }
    const double length = std::hypot(f, g);
    if (length == 0) return {1, 0};
    const Rotation rotation{f / length, g / length};
    f = length;
    return rotation;
  }
  static constexpr double kSmall = 1e-280;  // smaller squares lose digits or are 0
};

/// The first columns of a matrix in panels of a few rows, which the rotations of several sweeps
/// pass while a panel is in the cache.
template <class T>
class Panels {
  static constexpr int kRows = kPanelRows<T>, kVectors = kRows / kLanes<T>;

 public:
  Panels(Columns<T> matrix, std::int64_t columns) : matrix_(matrix), columns_(columns) {
    if (matrix.data == nullptr) return;
    panels_ = (matrix.rows + kRows - 1) / kRows;
    rotations_.reserve(std::min(static_cast<std::size_t>(16 * columns), 2 * kPending));
    sweeps_.reserve(16);
    for_each_piece([this](std::int64_t column, std::int64_t row, std::int64_t rows, T* piece) {
      const T* const from = matrix_.data + column * matrix_.rows + row;
      std::copy(from, from + rows, piece);
      std::fill(piece + rows, piece + kRows, T(0));
    });
  }

  /// Rotates columns first and first + 1, then first + 1 and first + 2, and so on. The rotations
  /// wait until flush().
  void add_sweep(std::int64_t first, const Rotation* rotations, std::int64_t count) {
    if (matrix_.data == nullptr) return;
    if (rotations_.size() > kPending) flush();
    sweeps_.push_back({first, static_cast<std::int64_t>(rotations_.size()), count});
    for (std::int64_t i = 0; i < count; ++i) {
      rotations_.push_back({static_cast<T>(rotations[i].c), static_cast<T>(rotations[i].s)});
    }
  }

  void rotate_pair(std::int64_t first, std::int64_t second, Rotation rotation) {
    flush();
    const T c = static_cast<T>(rotation.c), s = static_cast<T>(rotation.s);
    for (std::int64_t panel = 0; panel < panels_; ++panel) {
      T *const a = at(panel, first), *const b = at(panel, second);
      for (int k = 0; k < kRows; ++k) {
        const T left = a[k], right = b[k];
        a[k] = c * left + s * right;
        b[k] = c * right - s * left;
      }
    }
  }

  /// Writes each column j of the panels to column targets[j] of the matrix, multiplied with
  /// signs[j].
  void write(const std::vector<std::int64_t>& targets, const std::vector<T>& signs) {
    flush();
    for_each_piece([&](std::int64_t column, std::int64_t row, std::int64_t rows, T* piece) {
      const auto j = static_cast<std::size_t>(column);
      T* const to = matrix_.data + targets[j] * matrix_.rows + row;
      for (std::int64_t i = 0; i < rows; ++i) to[i] = signs[j] * piece[i];
    });
  }

 private:
  struct Pair {
    T c, s;
  };
  struct Sweep {
    std::int64_t first, offset, count;
  };
  static constexpr std::size_t kPending = 4096;  // more waiting rotations cause a flush

  T* at(std::int64_t panel, std::int64_t column) {
    return matrix_.scratch + (panel * columns_ + column) * kRows;
  }

  template <class Visitor>
  void for_each_piece(const Visitor& visitor) {
    for (std::int64_t panel = 0; panel < panels_; ++panel) {
      const std::int64_t row = panel * kRows,
                         rows = std::min<std::int64_t>(kRows, matrix_.rows - row);
      for (std::int64_t j = 0; j < columns_; ++j) visitor(j, row, rows, at(panel, j));
    }
  }

  void flush() {
    for (std::int64_t panel = 0; panel < panels_; ++panel) {
      for (const Sweep& sweep : sweeps_) {
        rotate(at(panel, sweep.first), rotations_.data() + sweep.offset, sweep.count);
      }
    }
    sweeps_.clear();
    rotations_.clear();
  }

  // The second column of a rotation stays in registers for the next.
  static void rotate(T* column, const Pair* rotations, std::int64_t count) {
    Vector<T> left[kVectors];
#pragma GCC unroll 4
    for (int k = 0; k < kVectors; ++k) left[k] = load(column + k * kLanes<T>);
    for (std::int64_t i = 0; i < count; ++i, column += kRows) {
      const auto c = broadcast<T>(rotations[i].c), s = broadcast<T>(rotations[i].s);
#pragma GCC unroll 4
      for (int k = 0; k < kVectors; ++k) {
        const auto right = load(column + kRows + k * kLanes<T>);
        store(column + k * kLanes<T>, c * left[k] + s * right);
        left[k] = c * right - s * left[k];
      }
    }
#pragma GCC unroll 4
    for (int k = 0; k < kVectors; ++k) store(column + k * kLanes<T>, left[k]);
  }

  Columns<T> matrix_;
  std::int64_t columns_, panels_ = 0;
  std::vector<Sweep> sweeps_;
  std::vector<Pair> rotations_;
};

/// The implicit QR iteration of Golub and Kahan with the tests of LINPACK's SVDC.
template <class T>
struct Iteration {
  double *d, *e;
  Panels<T> u, v;
  Rotation *left, *right;  // of one step

  /// Returns true if a diagonal element of [lo, hi] was 0 next to elements above the diagonal. It
  /// then rotates one of them away.
  bool chase_zero(std::int64_t lo, std::int64_t hi) {
    const double epsilon = std::numeric_limits<T>::epsilon();
    for (std::int64_t k = hi; k >= lo; --k) {
      const double next = (k > lo ? std::abs(e[k - 1]) : 0.) + (k < hi ? std::abs(e[k]) : 0.);
      if (std::abs(d[k]) > epsilon * next) continue;
      d[k] = 0;
      if (k < hi) {  // row k has one element left, e[k]
        double f = e[k];
        e[k] = 0;
        for (std::int64_t j = k + 1; j <= hi && f != 0; ++j) {
          const auto rotation = Rotation::make(d[j], f);
          if (j < hi) {
            f = -rotation.s * e[j];
            e[j] *= rotation.c;
          }
          u.rotate_pair(j, k, rotation);
        }
      } else {  // column k has one element left, e[k - 1]
        double f = e[k - 1];
        e[k - 1] = 0;
        for (std::int64_t j = k - 1; j >= lo && f != 0; --j) {
          const auto rotation = Rotation::make(d[j], f);
          if (j > lo) {
            f = -rotation.s * e[j - 1];
            e[j - 1] *= rotation.c;
          }
          v.rotate_pair(j, k, rotation);
        }
      }
      return true;
    }
    return false;
  }

  /// One step for the block [lo, hi], with the shift of its last 2 by 2 elements.
  void step(std::int64_t lo, std::int64_t hi) {
    const double scale = std::max({std::abs(d[hi]), std::abs(d[hi - 1]), std::abs(e[hi - 1]),
                                   std::abs(d[lo]), std::abs(e[lo])});
    const double last = d[hi] / scale, before = d[hi - 1] / scale, corner = e[hi - 1] / scale;
    const double first = d[lo] / scale;
    const double b = ((before + last) * (before - last) + corner * corner) / 2;
    const double c = (last * corner) * (last * corner);
    double shift = 0;
    if (b != 0 || c != 0) {
      shift = std::sqrt(b * b + c);
      shift = c / (b < 0 ? b - shift : b + shift);
    }
    double f = (first + last) * (first - last) + shift, g = first * (e[lo] / scale);
    for (std::int64_t k = lo; k < hi; ++k) {
      const auto to_right = Rotation::make(f, g);
      if (k > lo) e[k - 1] = f;
      f = to_right.c * d[k] + to_right.s * e[k];
      e[k] = to_right.c * e[k] - to_right.s * d[k];
      g = to_right.s * d[k + 1];
      d[k + 1] *= to_right.c;
      const auto to_left = Rotation::make(f, g);
      d[k] = f;
      f = to_left.c * e[k] + to_left.s * d[k + 1];
      d[k + 1] = to_left.c * d[k + 1] - to_left.s * e[k];
      if (k + 1 < hi) {
        g = to_left.s * e[k + 1];
        e[k + 1] *= to_left.c;
      }
      right[k - lo] = to_right;
      left[k - lo] = to_left;
    }
    e[hi - 1] = f;
    u.add_sweep(lo, left, hi - lo);
    v.add_sweep(lo, right, hi - lo);
  }

  bool run(std::int64_t n) {
    const double epsilon = std::numeric_limits<T>::epsilon(), tiny = std::numeric_limits<T>::min();
    std::int64_t steps = 60 * n;
    for (std::int64_t hi = n - 1; hi > 0;) {
      std::int64_t lo = hi;
      for (; lo > 0; --lo) {
        double& element = e[lo - 1];
        if (std::abs(element) <= epsilon * (std::abs(d[lo - 1]) + std::abs(d[lo])) + tiny) {
          element = 0;
          break;
        }
      }
      if (lo == hi) {
        --hi;
      } else if (steps-- == 0) {
        return false;
      } else if (!chase_zero(lo, hi)) {
        step(lo, hi);
      }
    }
    return true;
  }
};

}  // namespace

template <class T>
bool iterate_to_diagonal(std::int64_t n, T* diagonal, T* above, Columns<T> u, Columns<T> v) {
  const auto size = static_cast<std::size_t>(n);
  std::vector<double> d(2 * size);  // the elements above the diagonal in its second half
  std::copy(diagonal, diagonal + n, d.begin());
  std::copy(above, above + n - 1, d.begin() + n);
  std::vector<Rotation> rotations(2 * size);
  Iteration<T> iteration{d.data(), d.data() + n,     {u, n},
                         {v, n},   rotations.data(), rotations.data() + n};
  if (!iteration.run(n)) return false;
  std::vector<std::int64_t> order(size), targets(size);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) {
    const double a = std::abs(d[static_cast<std::size_t>(i)]);
    const double b = std::abs(d[static_cast<std::size_t>(j)]);
    return a != b ? a > b : i < j;
  });
  std::vector<T> signs(size, T(1));
  for (std::size_t target = 0; target < size; ++target) {
    const auto j = static_cast<std::size_t>(order[target]);
    targets[j] = static_cast<std::int64_t>(target);
    diagonal[target] = static_cast<T>(std::abs(d[j]));
  }
  iteration.u.write(targets, signs);
  for (std::size_t j = 0; j < size; ++j) signs[j] = d[j] < 0 ? T(-1) : T(1);
  iteration.v.write(targets, signs);
  return true;
}

template bool iterate_to_diagonal(std::int64_t, float*, float*, Columns<float>, Columns<float>);
template bool iterate_to_diagonal(std::int64_t, double*, double*, Columns<double>, Columns<double>);

}  // namespace tern::cpu
