// Instruction sets: baseline avx2.

#include <tern/backends/cpu/kernels/normalize/batch_norm_loops.h>
#include <tern/backends/cpu/kernels/normalize/normalize.h>
#include <tern/backends/cpu/kernels/support/dims.h>
#include <tern/backends/cpu/kernels/support/divide_up.h>
#include <tern/backends/cpu/kernels/support/widen.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/families/batch_norm.h>
#include <tern/core/kernels/math/math_dtype.h>

// The input is [outer, channels, inner]. A channel is processed run by run. If inner is 1, a block
// of channels is processed row by row; each number of a channel is then a row with one number per
// column. Blocks are wide, because memory is read fastest in order.

namespace tern::cpu {
namespace {

using namespace kernels;

constexpr std::int64_t kBatchNormGrain = 8192;
constexpr std::int64_t kThreadColumns = 64;  // threads share the columns in such pieces
constexpr std::int64_t kBlockRows = 64;      // rows that may be summed in T
constexpr std::int64_t kCachedBytes = std::int64_t{8} << 20;  // of a tensor

/// The numbers of one channel.
template <class T>
struct Channel {
  T high, low;                 // the mean is high + low; in - high is exact where it matters
  T scale, offset;             // forward
  T mean_grad = 0, slope = 0;  // backward
};

template <class T>
class BatchNorm {
 public:
  explicit BatchNorm(const BatchNormArgs& args)
      : args_(args),
        in_(static_cast<const T*>(args.in)),
        grad_(static_cast<const T*>(args.grad)),
        inner_(args.inner),
        step_(args.channels * args.inner),
        count_(static_cast<double>(args.outer * args.inner)),
        is_forward_(args.op == BatchNormOp::kForward) {}

  void run() const {
    const std::int64_t of_channel = args_.outer * inner_;
    if (has_independent_rows()) {
      parallel_for(0, args_.outer, std::max(4 * kBatchNormGrain / args_.channels, kBlockRows),
                   [&](std::int64_t begin, std::int64_t end) { normalize_all(begin, end); });
    } else if (inner_ == 1) {
      parallel_for(0, divide_up(args_.channels, kThreadColumns),
                   kBatchNormGrain / (of_channel * kThreadColumns),
                   [&](std::int64_t begin, std::int64_t end) {
                     const std::int64_t last = std::min(end * kThreadColumns, args_.channels);
                     for (std::int64_t c = begin * kThreadColumns; c < last; c += kColumns) {
                       take_columns(c, std::min(kColumns, last - c));
                     }
                   });
    } else {
      parallel_for(0, args_.channels, kBatchNormGrain / of_channel,
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t c = begin; c < end; ++c) take_runs(c);
                   });
    }
  }

 private:
  static constexpr std::int64_t kColumns = 4096 / sizeof(T);  // of a block, at most: a page

  /// Calls `fn` with the offset of each run, or of each row of columns.
  template <class Fn>
  void for_each(std::int64_t start, const Fn& fn) const {
    for (std::int64_t o = 0; o < args_.outer; ++o) fn(start + o * step_);
  }

  void set_statistics(std::int64_t c, double about, const TwoSums& moments) const {
    const double shift = moments.first / count_;
    const double variance = moments.second / count_ - shift * shift;
    // An infinite or NaN mean makes the shift NaN.
    args_.mean[c] = about - about == 0 ? about + shift : about;
    args_.variance[c] = variance < 0 ? 0 : variance;
  }

  [[gnu::noinline, gnu::cold]] void set_wide_statistics(std::int64_t c) const {
    const WideMoments<T> moments = wide_moments<T>(count_, false, [&](const auto& fn) {
      for_each_element(c, [&](std::int64_t i) { fn(in_[i]); });
    });
    args_.mean[c] = static_cast<double>(moments.mean);
    args_.variance[c] = static_cast<double>(moments.variance);
  }

  /// Recomputes the statistics of channels whose squares have left the range of T. Counts these
  /// channels first, because a loop without branches is fast.
  void mend_statistics(std::int64_t first, std::int64_t channels) const {
    std::int64_t outside = 0;
    for (std::int64_t c = first; c < first + channels; ++c) {
      outside += has_left_range<T>(args_.variance[c], args_.eps) ? 1 : 0;
    }
    for (std::int64_t c = first; outside > 0; ++c) {
      if (!has_left_range<T>(args_.variance[c], args_.eps)) continue;
      set_wide_statistics(c);
      --outside;
    }
  }

  template <class Fn>
  void for_each_element(std::int64_t c, const Fn& fn) const {
    for_each(c * inner_, [&](std::int64_t start) {
      for (std::int64_t i = start; i < start + inner_; ++i) fn(i);
    });
  }

  /// Returns the weight or the bias of a channel; `data` is null if there is none.
  static T number(const void* data, std::int64_t c, T otherwise) {
    return data == nullptr ? otherwise : static_cast<const T*>(data)[c];
  }

  bool is_wide(std::int64_t c) const {
    // An element minus a mean beyond the limit may overflow.
    constexpr double kLimit = std::is_same_v<T, float> ? 0x1p100 : 0x1p960;
    return is_extreme<T>(args_.variance[c] + args_.eps) | (std::abs(args_.mean[c]) > kLimit);
  }

  /// Computes a channel whose terms may leave the range of T.
  [[gnu::noinline, gnu::cold]] void take_wide(std::int64_t c) const {
    const double r = rstd(c), mean = args_.mean[c];
    const Wide<T> weight = number(args_.weight, c, 1), bias = number(args_.bias, c, 0);
    const auto x = [&](std::int64_t i) { return (static_cast<Wide<T>>(in_[i]) - mean) * r; };
    if (is_forward_) {
      if (args_.out == nullptr) return;
      const auto out = static_cast<T*>(args_.out);
      return for_each_element(
          c, [&](std::int64_t i) { out[i] = static_cast<T>(x(i) * weight + bias); });
    }
    Wide<T> sum = 0, product = 0;
    for_each_element(c, [&](std::int64_t i) {
      sum += grad_[i];
      product += grad_[i] * x(i);
    });
    if (args_.grad_weight != nullptr) {
      static_cast<T*>(args_.grad_weight)[c] = static_cast<T>(product);
    }
    if (args_.grad_bias != nullptr) static_cast<T*>(args_.grad_bias)[c] = static_cast<T>(sum);
    if (args_.grad_in == nullptr) return;
    const auto grad_in = static_cast<T*>(args_.grad_in);
    for_each_element(c, [&](std::int64_t i) {
      Wide<T> rest = grad_[i];
      if (args_.training != 0) rest -= sum / count_ + x(i) * (product / count_);
      grad_in[i] = static_cast<T>(rest * r * weight);
    });
  }

  Channel<T> channel(std::int64_t c) const {
    Channel<T> numbers;
    numbers.high = static_cast<T>(args_.mean[c]);
    numbers.low = static_cast<T>(args_.mean[c] - numbers.high);
    numbers.scale = static_cast<T>(rstd(c) * number(args_.weight, c, 1));
    numbers.offset = number(args_.bias, c, 0);
    return numbers;
  }

  double rstd(std::int64_t c) const { return 1 / std::sqrt(args_.variance[c] + args_.eps); }

  /// `sums`: the sum of the gradient and the sum of its products with in - mean.
  void finish_gradients(std::int64_t c, const TwoSums& sums, Channel<T>& numbers) const {
    const double r = rstd(c);
    if (args_.grad_weight != nullptr) {
      static_cast<T*>(args_.grad_weight)[c] = static_cast<T>(sums.second * r);
    }
    if (args_.grad_bias != nullptr) {
      static_cast<T*>(args_.grad_bias)[c] = static_cast<T>(sums.first);
    }
    if (args_.training == 0) return;
    numbers.mean_grad = static_cast<T>(sums.first / count_);
    numbers.slope = static_cast<T>(sums.second / count_ * r * r * numbers.scale);
  }

  void take_runs(std::int64_t c) const {
    const std::int64_t start = c * inner_;
    if (is_forward_ && args_.training != 0) {
      double sum = 0;
      for_each(start, [&](std::int64_t i) { sum += reduce_span<Sum>(in_ + i, inner_); });
      const T about = static_cast<T>(sum / count_);
      const TwoSums moments =
          sum_runs(start, [&](auto at, const T* in, const T*, auto& a, auto& b) {
            a = at(in) - about;
            b = a * a;
          });
      set_statistics(c, about, moments);
      if (has_left_range<T>(args_.variance[c], args_.eps)) [[unlikely]]
        set_wide_statistics(c);
    }
    if (is_wide(c)) [[unlikely]]
      return take_wide(c);
    Channel<T> numbers = channel(c);
    const auto same = [](T number) { return Same<T>{number}; };
    if (is_forward_) {
      if (args_.out == nullptr) return;
      for_each(start, [&](std::int64_t i) {
        normalize_rows<1>(static_cast<T*>(args_.out) + i, in_ + i, 0, inner_, same(numbers.high),
                          same(numbers.low), same(numbers.scale), same(numbers.offset));
      });
      return;
    }
    const TwoSums sums =
        sum_runs(start, [&](auto at, const T* in, const T* grad, auto& a, auto& b) {
          a = at(grad);
          b = a * ((at(in) - numbers.high) - numbers.low);
        });
    finish_gradients(c, sums, numbers);
    if (args_.grad_in == nullptr) return;
    for_each(start, [&](std::int64_t i) {
      if (args_.training == 0) {
        return fixed_gradient_rows<1>(static_cast<T*>(args_.grad_in) + i, grad_ + i, 0, inner_,
                                      same(numbers.scale));
      }
      input_gradient_rows<1>(static_cast<T*>(args_.grad_in) + i, in_ + i, grad_ + i, 0, inner_,
                             same(numbers.high), same(numbers.low), same(numbers.scale),
                             same(numbers.mean_grad), same(numbers.slope));
    });
  }

  template <class Terms>
  TwoSums sum_runs(std::int64_t start, const Terms& terms) const {
    TwoSums total;
    for_each(start, [&](std::int64_t i) {
      const TwoSums sums = two_sums<T>(
          inner_, [&](auto at, auto& a, auto& b) { terms(at, in_ + i, grad_ + i, a, b); });
      total.first += sums.first;
      total.second += sums.second;
    });
    return total;
  }

  /// The numbers of a block of columns.
  struct Block {
    T high[kColumns], low[kColumns], scale[kColumns], offset[kColumns];
  };
  struct Sums {
    double first[kColumns], second[kColumns];
  };

  void set_block(std::int64_t first, std::int64_t columns, Block& block) const {
    for (std::int64_t c = 0; c < columns; ++c) {
      const Channel<T> numbers = channel(first + c);
      block.high[c] = numbers.high;
      block.low[c] = numbers.low;
      block.scale[c] = numbers.scale;
      block.offset[c] = numbers.offset;
    }
  }

  std::int64_t count_wide(std::int64_t first, std::int64_t columns) const {
    std::int64_t wide = 0;
    for (std::int64_t c = first; c < first + columns; ++c) wide += is_wide(c) ? 1 : 0;
    return wide;
  }

  /// Returns true for many rows with known statistics. Threads then share the rows.
  bool has_independent_rows() const {
    return inner_ == 1 && is_forward_ && args_.training == 0 && args_.outer >= 2 * kBlockRows &&
           count_wide(0, args_.channels) == 0;
  }

  /// Returns true for rows without gaps in a tensor beyond the cache: reading them in order is
  /// faster than several at a time.
  bool is_stream(std::int64_t columns) const {
    return columns == step_ && args_.outer * step_ > kCachedBytes / std::int64_t{sizeof(T)};
  }

  /// Normalises all columns of some rows.
  void normalize_all(std::int64_t begin, std::int64_t end) const {
    for (std::int64_t first = 0; first < args_.channels; first += kColumns) {
      const std::int64_t columns = std::min(kColumns, args_.channels - first);
      Block block;
      set_block(first, columns, block);
      normalize_columns(first, columns, block, begin, end);
    }
  }

  void normalize_columns(std::int64_t first, std::int64_t columns, const Block& block,
                         std::int64_t begin, std::int64_t end) const {
    const T *high = block.high, *low = block.low, *scale = block.scale, *offset = block.offset;
    for_row_groups(begin, end, is_stream(columns), [&](auto rows, std::int64_t row) {
      const std::int64_t i = first + row * step_;
      normalize_rows<rows()>(static_cast<T*>(args_.out) + i, in_ + i, step_, columns, high, low,
                             scale, offset);
    });
  }

  /// Computes channels as columns. Counts the wide ones first, as mend_statistics() does.
  void take_columns(std::int64_t first, std::int64_t columns) const {
    take_block(first, columns);
    std::int64_t wide = count_wide(first, columns);
    for (std::int64_t c = first; wide > 0; ++c) {
      if (!is_wide(c)) continue;
      take_wide(c);
      --wide;
    }
  }

  void take_block(std::int64_t first, std::int64_t columns) const {
    Sums sums;
    if (is_forward_ && args_.training != 0) {
      T about[kColumns];
      sum_rows(first, columns, sums, [&](auto rows, T* a, T*, std::int64_t i) {
        add_rows<rows()>(a, in_ + i, step_, columns);
      });
      for (std::int64_t c = 0; c < columns; ++c) about[c] = static_cast<T>(sums.first[c] / count_);
      sum_rows(first, columns, sums, [&](auto rows, T* a, T* b, std::int64_t i) {
        add_moments<rows()>(a, b, in_ + i, step_, columns, about);
      });
      for (std::int64_t c = 0; c < columns; ++c) {
        set_statistics(first + c, about[c], {sums.first[c], sums.second[c]});
      }
      mend_statistics(first, columns);
    }
    Block block;
    set_block(first, columns, block);
    if (is_forward_) {
      if (args_.out != nullptr) normalize_columns(first, columns, block, 0, args_.outer);
      return;
    }
    sum_rows(first, columns, sums, [&](auto rows, T* a, T* b, std::int64_t i) {
      add_products<rows()>(a, b, in_ + i, grad_ + i, step_, columns, block.high, block.low);
    });
    T mean_grads[kColumns], slopes[kColumns];
    for (std::int64_t c = 0; c < columns; ++c) {
      Channel<T> numbers{};
      numbers.scale = block.scale[c];
      finish_gradients(first + c, {sums.first[c], sums.second[c]}, numbers);
      mean_grads[c] = numbers.mean_grad;
      slopes[c] = numbers.slope;
    }
    if (args_.grad_in == nullptr) return;
    const T *high = block.high, *low = block.low, *scale = block.scale;
    const T *mean_grad = mean_grads, *slope = slopes;
    for_row_groups(0, args_.outer, is_stream(columns), [&](auto rows, std::int64_t row) {
      const std::int64_t i = first + row * step_;
      const auto out = static_cast<T*>(args_.grad_in) + i;
      if (args_.training == 0) {
        fixed_gradient_rows<rows()>(out, grad_ + i, step_, columns, scale);
      } else {
        input_gradient_rows<rows()>(out, in_ + i, grad_ + i, step_, columns, high, low, scale,
                                    mean_grad, slope);
      }
    });
  }

  /// Sets `sums` to the sums over all rows of the terms that `add` adds to its two rows.
  template <class Add>
  void sum_rows(std::int64_t first, std::int64_t columns, Sums& sums, const Add& add) const {
    std::fill_n(sums.first, columns, 0);
    std::fill_n(sums.second, columns, 0);
    for (std::int64_t begin = 0; begin < args_.outer; begin += kBlockRows) {
      T a[kColumns], b[kColumns];
      std::fill_n(a, columns, T(0));
      std::fill_n(b, columns, T(0));
      for_row_groups(begin, std::min(begin + kBlockRows, args_.outer), is_stream(columns),
                     [&](auto rows, std::int64_t row) { add(rows, a, b, first + row * step_); });
      for (std::int64_t c = 0; c < columns; ++c) {
        sums.first[c] += a[c];
        sums.second[c] += b[c];
      }
    }
  }

  const BatchNormArgs& args_;
  const T* in_;
  const T* grad_;
  std::int64_t inner_, step_;  // elements of a run; distance between runs
  double count_;               // elements of a channel
  bool is_forward_;
};

void batch_norm(const BatchNormArgs& args, KernelContext& context) {
  run_widened(args, [&](const BatchNormArgs& wide) {
    visit_floating(wide.dtype, context,
                   [&](auto tag) { BatchNorm<typename decltype(tag)::type>(wide).run(); });
  });
}

}  // namespace

void register_batch_norm(kernels::KernelTable& table) {
  kernels::set<kernels::BatchNormArgs, batch_norm>(table);
}

}  // namespace tern::cpu
