// Instruction sets: baseline avx2.

#include <algorithm>
#include <cmath>

#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/families/cdist.h>
#include <tern/core/kernels/math/is_nan.h>
#include <tern/core/kernels/math/math_dtype.h>

namespace tern::cpu {
namespace {

using namespace kernels;

constexpr std::int64_t kCdistGrain = 16384;  // differences
constexpr std::int64_t kLanes = 16;          // partial sums, so that loops use vectors

// Norms: `add` joins the magnitude d of a difference to a partial result, `join` two partial
// results, `finish` makes a distance. `slope` is the derivative of the distance by a difference.

template <class T>
struct ZeroNorm {
  T add(T sum, T d) const { return sum + (d != 0 ? T(1) : T(0)); }
  T join(T a, T b) const { return a + b; }
  T finish(T sum) const { return sum; }
  T slope(T, T, T) const { return 0; }
};

template <class T>
struct OneNorm {
  T add(T sum, T d) const { return sum + d; }
  T join(T a, T b) const { return a + b; }
  T finish(T sum) const { return sum; }
  T slope(T d, T, T gradient) const {
    return d > 0 ? gradient : d < 0 ? -gradient : d;  // 0 or NaN
  }
};

template <class T>
struct TwoNorm {
  T add(T sum, T d) const { return sum + d * d; }
  T join(T a, T b) const { return a + b; }
  T finish(T sum) const { return std::sqrt(sum); }
  T slope(T d, T distance, T gradient) const { return distance == 0 ? 0 : gradient * d / distance; }
};

template <class T>
struct MaxNorm {
  T add(T largest, T d) const { return d > largest || is_nan(d) ? d : largest; }
  T join(T a, T b) const { return add(a, b); }
  T finish(T largest) const { return largest; }
  T slope(T d, T distance, T gradient) const {
    if (is_nan(d)) return d;
    if (distance == 0 || std::abs(d) != distance) return 0;
    return d > 0 ? gradient : -gradient;
  }
};

template <class T>
struct PowerNorm {
  T p;
  T add(T sum, T d) const { return sum + std::pow(d, p); }
  T join(T a, T b) const { return a + b; }
  T finish(T sum) const { return std::pow(sum, 1 / p); }
  T slope(T d, T distance, T gradient) const {
    if (distance == 0 || d == 0) return 0;
    const T size = std::pow(std::abs(d) / distance, p - 1);
    return d > 0 ? gradient * size : -gradient * size;
  }
};

template <class T, class Norm>
T distance(const T* __restrict x, const T* __restrict y, std::int64_t n, const Norm& norm) {
  T parts[kLanes] = {};
  std::int64_t c = 0;
  for (; c + kLanes <= n; c += kLanes) {
    for (std::int64_t l = 0; l < kLanes; ++l) {
      parts[l] = norm.add(parts[l], std::abs(x[c + l] - y[c + l]));
    }
  }
  for (std::int64_t l = 0; c + l < n; ++l) {
    parts[l] = norm.add(parts[l], std::abs(x[c + l] - y[c + l]));
  }
  for (std::int64_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::int64_t l = 0; l < half; ++l) parts[l] = norm.join(parts[l], parts[l + half]);
  }
  return norm.finish(parts[0]);
}

template <class T, class Norm>
void add_slopes(T* __restrict out, const T* __restrict x, const T* __restrict y, std::int64_t n,
                T distance, T gradient, const Norm& norm) {
  for (std::int64_t c = 0; c < n; ++c) out[c] += norm.slope(x[c] - y[c], distance, gradient);
}

template <class T, class Norm>
void cdist_rows(const CdistArgs& args, const Norm& norm, std::int64_t begin, std::int64_t end) {
  const std::int64_t n = args.columns, others = args.others;
  const auto gradient = static_cast<const T*>(args.gradient);
  const auto distances = static_cast<const T*>(args.distances);
  const bool pairs = is_pairs(args.op), backward = is_backward(args.op);
  for (std::int64_t row = begin; row < end; ++row) {
    const std::int64_t i = row % args.rows;
    const T* const x = static_cast<const T*>(args.x) + row * n;
    const T* const y = static_cast<const T*>(args.y) + row / args.rows * others * n;
    T* const out = static_cast<T*>(args.out);
    if (backward) std::fill(out + row * n, out + (row + 1) * n, T(0));
    for (std::int64_t j = pairs && !backward ? i + 1 : 0; j < others; ++j) {
      if (pairs && j == i) continue;
      const std::int64_t at =
          pairs ? pair_index(others, std::min(i, j), std::max(i, j)) : row * others + j;
      if (backward) {
        add_slopes(out + row * n, x, y + j * n, n, distances[at], gradient[at], norm);
      } else {
        out[at] = distance(x, y + j * n, n, norm);
      }
    }
  }
}

template <class T, class Norm>
void cdist_with(const CdistArgs& args, const Norm& norm) {
  const std::int64_t work = args.others * args.columns + 1;
  parallel_for(
      0, args.batch * args.rows, kCdistGrain / work,
      [&](std::int64_t begin, std::int64_t end) { cdist_rows<T>(args, norm, begin, end); });
}

template <class T>
void cdist_typed(const CdistArgs& args) {
  if (args.p == 0) {
    cdist_with<T>(args, ZeroNorm<T>());
  } else if (args.p == 1) {
    cdist_with<T>(args, OneNorm<T>());
  } else if (args.p == 2) {
    cdist_with<T>(args, TwoNorm<T>());
  } else if (std::isinf(args.p)) {
    cdist_with<T>(args, MaxNorm<T>());
  } else {
    cdist_with<T>(args, PowerNorm<T>{static_cast<T>(args.p)});
  }
}

void cdist(const CdistArgs& args, KernelContext& context) {
  visit_floating(args.dtype, context,
                 [&](auto tag) { cdist_typed<typename decltype(tag)::type>(args); });
}

}  // namespace

void register_cdist(kernels::KernelTable& table) { kernels::set<kernels::CdistArgs, cdist>(table); }

}  // namespace tern::cpu
