#include <cmath>
#include <cstdint>

#include <tern/backends/cuda/device/support/launch.h>
#include <tern/core/kernels/families/cdist.h>

namespace tern::cuda::device {
namespace {

enum class Norm { kZero, kOne, kTwo, kMax, kPower };

Norm norm_of(double p) {
  if (p == 0) return Norm::kZero;
  if (p == 1) return Norm::kOne;
  if (p == 2) return Norm::kTwo;
  return std::isinf(p) ? Norm::kMax : Norm::kPower;
}

template <class T>
struct Rows {
  Norm norm;
  T p;
  std::int64_t rows, others, columns;
  bool pairs;
  const T* x;
  const T* y;
  const T* gradient;
  const T* distances;
  T* out;

  __device__ T distance(const T* a, const T* b) const {
    T sum = 0;
    for (std::int64_t c = 0; c < columns; ++c) {
      const T d = std::abs(a[c] - b[c]);
      switch (norm) {
        case Norm::kZero:
          sum += d != 0 ? T(1) : T(0);
          break;
        case Norm::kOne:
          sum += d;
          break;
        case Norm::kTwo:
          sum += d * d;
          break;
        case Norm::kMax:
          sum = d > sum || d != d ? d : sum;
          break;
        case Norm::kPower:
          sum += std::pow(d, p);
          break;
      }
    }
    if (norm == Norm::kTwo) return std::sqrt(sum);
    return norm == Norm::kPower ? std::pow(sum, 1 / p) : sum;
  }

  /// Returns the derivative of a distance by a difference `d`.
  __device__ T slope(T d, T distance) const {
    // With the 2-norm, 0 / distance is NaN if another difference of the rows is NaN.
    if (norm == Norm::kZero || distance == 0 || (d == 0 && norm != Norm::kTwo)) return 0;
    if (d != d) return d;  // NaN
    const T sign = d > 0 ? T(1) : d < 0 ? T(-1) : T(0);
    switch (norm) {
      case Norm::kOne:
        return sign;
      case Norm::kTwo:
        return d / distance;
      case Norm::kMax:
        return std::abs(d) == distance ? sign : T(0);
      default:
        return sign * std::pow(std::abs(d) / distance, p - 1);
    }
  }

  __device__ std::int64_t index(std::int64_t row, std::int64_t j) const {
    if (!pairs) return row * others + j;
    return row < j ? pair_index(rows, row, j) : pair_index(rows, j, row);
  }
  __device__ const T* other(std::int64_t row, std::int64_t j) const {
    return y + (row / rows * others + j) * columns;
  }
};

/// One thread per distance.
template <class T>
__global__ void __launch_bounds__(kThreads) distance_kernel(Rows<T> r, std::int64_t count) {
  const std::int64_t stride = std::int64_t{gridDim.x} * kThreads;
  for (std::int64_t at = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; at < count;
       at += stride) {
    const std::int64_t row = at / r.others, j = at % r.others;
    if (r.pairs && j <= row) continue;
    r.out[r.index(row, j)] = r.distance(r.x + row * r.columns, r.other(row, j));
  }
}

/// One thread per element of the gradient.
template <class T>
__global__ void __launch_bounds__(kThreads)
    distance_backward_kernel(Rows<T> r, std::int64_t count) {
  const std::int64_t stride = std::int64_t{gridDim.x} * kThreads;
  for (std::int64_t at = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; at < count;
       at += stride) {
    const std::int64_t row = at / r.columns, c = at % r.columns;
    T sum = 0;
    for (std::int64_t j = 0; j < r.others; ++j) {
      if (r.pairs && j == row) continue;
      const std::int64_t index = r.index(row, j);
      sum += r.gradient[index] * r.slope(r.x[at] - r.other(row, j)[c], r.distances[index]);
    }
    r.out[at] = sum;
  }
}

template <class T>
void cdist_typed(const CdistArgs& args, KernelContext& context) {
  const Rows<T> rows{norm_of(args.p),
                     static_cast<T>(args.p),
                     args.rows,
                     args.others,
                     args.columns,
                     is_pairs(args.op),
                     static_cast<const T*>(args.x),
                     static_cast<const T*>(args.y),
                     static_cast<const T*>(args.gradient),
                     static_cast<const T*>(args.distances),
                     static_cast<T*>(args.out)};
  const std::int64_t all = args.batch * args.rows;
  if (is_backward(args.op)) {
    const std::int64_t count = all * args.columns;
    launch(context, distance_backward_kernel<T>, blocks_for(count, kThreads), kThreads, rows,
           count);
  } else {
    const std::int64_t count = all * args.others;
    launch(context, distance_kernel<T>, blocks_for(count, kThreads), kThreads, rows, count);
  }
}

void cdist(const CdistArgs& args, KernelContext& context) {
  if (args.dtype == kDouble) {
    cdist_typed<double>(args, context);
  } else if (args.dtype == kFloat) {
    cdist_typed<float>(args, context);
  } else {
    context.status = StatusCode::kUnsupportedDtype;
  }
}

}  // namespace

void register_cdist(KernelTable& table) { set<CdistArgs, cdist>(table); }

}  // namespace tern::cuda::device
