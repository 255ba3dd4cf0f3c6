// Instruction sets: baseline avx2.

#include <bit>

#include <tern/backends/cpu/kernels/normalize/normalize.h>
#include <tern/backends/cpu/kernels/support/scratch.h>
#include <tern/backends/cpu/kernels/support/widen.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/families/layer_norm.h>
#include <tern/core/kernels/math/math_dtype.h>

namespace tern::cpu {
namespace {

using namespace kernels;

constexpr std::int64_t kLayerNormGrain = 8192;

/// The statistics that normalise a row. The mean is high + low: in - high is exact where it
/// matters, so a mean that is large compared to the deviation costs no digits.
template <class T>
struct Statistics {
  T high, low, rstd;

  Statistics(double mean, double rstd_)
      : high(static_cast<T>(mean)), low(static_cast<T>(mean - high)), rstd(static_cast<T>(rstd_)) {}

  template <class V>
  V center(V x) const {
    return (x - high) - low;
  }
};

/// The same for a row whose terms may leave the range of T.
template <class T>
struct WideStatistics {
  double mean, rstd;

  bool is_needed() const { return is_extreme<T>(rstd * rstd); }
  Wide<T> normalized(T x) const { return (static_cast<Wide<T>>(x) - mean) * rstd; }
};

template <class T>
[[gnu::noinline, gnu::cold]] void measure_wide(const T* in, std::int64_t n, double eps, bool is_rms,
                                               double& mean, double& rstd) {
  const WideMoments<T> wide = wide_moments<T>(static_cast<double>(n), is_rms, [&](const auto& fn) {
    for (std::int64_t i = 0; i < n; ++i) fn(in[i]);
  });
  mean = static_cast<double>(wide.mean);
  rstd = static_cast<double>(1 / std::sqrt(wide.variance + eps));
}

/// Reads a row, which is in the cache, twice: first for the mean, then for the moments about the
/// mean, which also correct its rounding error. With `is_rms`, the moments about 0 suffice.
template <class T>
void measure(const T* in, std::int64_t n, double eps, bool is_rms, double& mean, double& rstd) {
  const auto count = static_cast<double>(n);
  const T about = is_rms ? 0 : static_cast<T>(reduce_span<Sum>(in, n) / count);
  const TwoSums moments = two_sums<T>(n, [&](auto at, auto& difference, auto& square) {
    difference = at(in) - about;
    square = difference * difference;
  });
  const double shift = is_rms ? 0 : moments.first / count;
  const double variance = moments.second / count - shift * shift;
  if (has_left_range<T>(variance, eps)) return measure_wide(in, n, eps, is_rms, mean, rstd);
  mean = about + shift;
  rstd = 1 / std::sqrt((variance < 0 ? 0 : variance) + eps);
}

template <class T>
[[gnu::noinline, gnu::cold]] void normalize_wide(T* out, const T* in, const T* weight,
                                                 const T* bias, std::int64_t n,
                                                 const WideStatistics<T> row) {
  for (std::int64_t i = 0; i < n; ++i) {
    Wide<T> x = row.normalized(in[i]);
    if (weight != nullptr) x *= weight[i];
    if (bias != nullptr) x += bias[i];
    out[i] = static_cast<T>(x);
  }
}

template <class T, bool kWeight, bool kBias>
void normalize(T* __restrict out, const T* __restrict in, const T* __restrict weight,
               const T* __restrict bias, std::int64_t n, const Statistics<T> row) {
  for (std::int64_t i = 0; i < n; ++i) {
    T x = row.center(in[i]) * row.rstd;
    if constexpr (kWeight) x *= weight[i];
    if constexpr (kBias) x += bias[i];
    out[i] = x;
  }
}

template <class T>
void forward(const LayerNormArgs& args) {
  const auto in = static_cast<const T*>(args.in);
  const auto weight = static_cast<const T*>(args.weight);
  const auto bias = static_cast<const T*>(args.bias);
  const auto out = static_cast<T*>(args.out);
  const std::int64_t n = args.size;
  const auto write =
      weight != nullptr
          ? (bias != nullptr ? normalize<T, true, true> : normalize<T, true, false>)
          : (bias != nullptr ? normalize<T, false, true> : normalize<T, false, false>);
  parallel_for(0, args.rows, kLayerNormGrain / n, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      double mean, rstd;
      measure(in + row * n, n, args.eps, args.root_mean_square != 0, mean, rstd);
      const WideStatistics<T> wide{mean, rstd};
      if (wide.is_needed()) {
        normalize_wide(out + row * n, in + row * n, weight, bias, n, wide);
      } else {
        write(out + row * n, in + row * n, weight, bias, n, {mean, rstd});
      }
      if (args.mean != nullptr) args.mean[row] = mean;
      if (args.rstd != nullptr) args.rstd[row] = rstd;
    }
  });
}

template <class T>
[[gnu::noinline, gnu::cold]] void wide_input_gradient(T* out, const T* in, const T* grad,
                                                      const T* weight, std::int64_t n,
                                                      const WideStatistics<T> row, bool is_rms) {
  const auto h = [&](std::int64_t i) {
    const Wide<T> g = grad[i];
    return weight == nullptr ? g : g * weight[i];
  };
  Wide<T> sum = 0, product = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    if (!is_rms) sum += h(i);
    product += h(i) * row.normalized(in[i]);
  }
  const auto count = static_cast<double>(n);
  for (std::int64_t i = 0; i < n; ++i) {
    const Wide<T> rest = h(i) - sum / count - row.normalized(in[i]) * (product / count);
    out[i] = static_cast<T>(rest * row.rstd);
  }
}

template <class T, bool kWeight>
void input_gradient(T* __restrict out, const T* __restrict in, const T* __restrict grad,
                    const T* __restrict weight, std::int64_t n, const Statistics<T> row,
                    bool is_rms) {
  const TwoSums sums = two_sums<T>(n, [&](auto at, auto& h, auto& product) {
    h = at(grad);
    if constexpr (kWeight) h *= at(weight);
    product = h * row.center(at(in));
  });
  const double rstd = row.rstd, count = static_cast<double>(n);
  const T offset = is_rms ? 0 : static_cast<T>(sums.first / count * rstd);
  const T slope = static_cast<T>(sums.second / count * rstd * rstd * rstd);
  for (std::int64_t i = 0; i < n; ++i) {
    T h = grad[i];
    if constexpr (kWeight) h *= weight[i];
    out[i] = (h * row.rstd - offset) - row.center(in[i]) * slope;
  }
}

/// Adds the terms of one row to the gradients of weight and bias.
template <class T>
void add_parameter_gradients(T* __restrict grad_weight, T* __restrict grad_bias,
                             const T* __restrict in, const T* __restrict grad, std::int64_t n,
                             const Statistics<T> row) {
  for (std::int64_t i = 0; i < n; ++i) {
    grad_weight[i] += grad[i] * (row.center(in[i]) * row.rstd);
    grad_bias[i] += grad[i];
  }
}

template <class T>
[[gnu::noinline, gnu::cold]] void add_wide_parameter_gradients(T* grad_weight, T* grad_bias,
                                                               const T* in, const T* grad,
                                                               std::int64_t n,
                                                               const WideStatistics<T> row) {
  for (std::int64_t i = 0; i < n; ++i) {
    grad_weight[i] += static_cast<T>(grad[i] * row.normalized(in[i]));
    grad_bias[i] += grad[i];
  }
}

template <class T>
class Backward {
 public:
  explicit Backward(const LayerNormArgs& args) : args_(args), n_(args.size) {}

  /// Returns false if out of memory.
  bool run() const {
    if (args_.grad_weight == nullptr && args_.grad_bias == nullptr) {
      parallel_for(0, args_.rows, kLayerNormGrain / n_, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) take_row(row);
      });
      return true;
    }
    // The rows are summed in parts. The number of parts depends only on the sizes, so the result
    // does not depend on the thread count.
    const std::int64_t wanted = std::min(args_.rows / 32, args_.rows * n_ / kLayerNormGrain);
    const auto parts = static_cast<std::int64_t>(
        std::bit_floor(static_cast<std::uint64_t>(std::clamp<std::int64_t>(wanted, 1, 32))));
    double* const sums = thread_scratch<double>(parts * kBuffers * n_);
    if (sums == nullptr) return false;
    parallel_for(0, parts, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t part = begin; part < end; ++part) {
        take_rows(args_.rows * part / parts, args_.rows * (part + 1) / parts,
                  sums + part * kBuffers * n_);
      }
    });
    parallel_for(0, n_, kLayerNormGrain / parts, [&](std::int64_t begin, std::int64_t end) {
      finish(static_cast<T*>(args_.grad_weight), sums, parts, begin, end);
      finish(static_cast<T*>(args_.grad_bias), sums + n_, parts, begin, end);
    });
    return true;
  }

 private:
  // The buffers of one part, n elements each: the sums for weight and bias in double, and the sums
  // of a few rows in T.
  static constexpr std::int64_t kBuffers = 4;
  static constexpr std::int64_t kBlockRows = 64;

  const T* in(std::int64_t row) const { return static_cast<const T*>(args_.in) + row * n_; }
  const T* grad(std::int64_t row) const { return static_cast<const T*>(args_.grad) + row * n_; }

  WideStatistics<T> wide(std::int64_t row) const { return {args_.mean[row], args_.rstd[row]}; }

  Statistics<T> take_row(std::int64_t row) const {
    const Statistics<T> statistics(args_.mean[row], args_.rstd[row]);
    if (args_.grad_in == nullptr) return statistics;
    const auto weight = static_cast<const T*>(args_.weight);
    const auto out = static_cast<T*>(args_.grad_in) + row * n_;
    const bool is_rms = args_.root_mean_square != 0;
    if (wide(row).is_needed()) {
      wide_input_gradient(out, in(row), grad(row), weight, n_, wide(row), is_rms);
    } else {
      const auto compute = weight != nullptr ? input_gradient<T, true> : input_gradient<T, false>;
      compute(out, in(row), grad(row), weight, n_, statistics, is_rms);
    }
    return statistics;
  }

  void take_rows(std::int64_t begin, std::int64_t end, double* sums) const {
    T* const block = reinterpret_cast<T*>(sums + 2 * n_);
    std::fill_n(sums, 2 * n_, 0.0);
    for (std::int64_t row = begin; row < end;) {
      std::fill_n(block, 2 * n_, T(0));
      for (const std::int64_t stop = std::min(row + kBlockRows, end); row < stop; ++row) {
        const Statistics<T> statistics = take_row(row);
        if (wide(row).is_needed()) {
          add_wide_parameter_gradients(block, block + n_, in(row), grad(row), n_, wide(row));
        } else {
          add_parameter_gradients(block, block + n_, in(row), grad(row), n_, statistics);
        }
      }
      for (std::int64_t i = 0; i < 2 * n_; ++i) sums[i] += block[i];
    }
  }

  void finish(T* out, const double* sums, std::int64_t parts, std::int64_t begin,
              std::int64_t end) const {
    if (out == nullptr) return;
    for (std::int64_t i = begin; i < end; ++i) {
      double sum = sums[i];
      for (std::int64_t part = 1; part < parts; ++part) sum += sums[part * kBuffers * n_ + i];
      out[i] = static_cast<T>(sum);
    }
  }

  const LayerNormArgs& args_;
  std::int64_t n_;
};

template <class T>
void layer_norm_typed(const LayerNormArgs& args, KernelContext& context) {
  if (args.op == LayerNormOp::kForward) {
    forward<T>(args);
  } else if (!Backward<T>(args).run()) {
    context.status = StatusCode::kOutOfMemory;
  }
}

void layer_norm(const LayerNormArgs& args, KernelContext& context) {
  const auto run = [&](const LayerNormArgs& wide) {
    visit_floating(wide.dtype, context, [&](auto tag) {
      layer_norm_typed<typename decltype(tag)::type>(wide, context);
    });
  };
  if (args.grad_weight == nullptr && args.grad_bias == nullptr) {
    run_widened_rows(args, &LayerNormArgs::rows, run);
  } else {  // sums over the rows
    run_widened(args, run);
  }
}

}  // namespace

void register_layer_norm(kernels::KernelTable& table) {
  kernels::set<kernels::LayerNormArgs, layer_norm>(table);
}

}  // namespace tern::cpu
