// Instruction sets: baseline avx2.

#include <algorithm>
#include <atomic>
#include <limits>
#include <type_traits>

#include <tern/backends/cpu/kernels/pooling/squares.h>
#include <tern/backends/cpu/kernels/reduce/span.h>
#include <tern/backends/cpu/kernels/support/scratch.h>
#include <tern/backends/cpu/kernels/support/span.h>
#include <tern/backends/cpu/kernels/support/widen.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/families/pooling.h>

// One row of the output at a time. First the rows of the windows are reduced to one row, column by
// column, with vectors; then the columns of each window are reduced.

namespace tern::cpu {
namespace {

using namespace kernels;

constexpr std::int64_t kPoolGrain = 16384;  // elements of windows per thread
constexpr std::int32_t kOutside = std::numeric_limits<std::int32_t>::max();

/// Calls fn(std::integral_constant<int, s>()) for the strides 1 and 2 of float32, and else with 0:
/// a loop with a constant stride vectorises.
template <class T, class Fn>
void with_stride(std::int64_t stride, const Fn& fn) {
  if constexpr (std::is_same_v<T, float>) {
    if (stride == 1) return fn(std::integral_constant<int, 1>());
    if (stride == 2) return fn(std::integral_constant<int, 2>());
  }
  fn(std::integral_constant<int, 0>());
}

template <class T>
class PoolingRows {
 public:
  PoolingRows(const PoolingArgs& args, std::atomic<bool>& out_of_memory)
      : args_(args),
        is_regular_(args.windows == PoolingWindows::kRegular && args.padding[2] <= args.sizes[2]),
        out_of_memory_(out_of_memory) {}

  void run() const {
    const std::int64_t* const out = args_.out_sizes;
    if (args_.op == PoolingOp::kAverageBackward) {
      if constexpr (std::is_floating_point_v<T>) {
        const std::int64_t work = plane_size() + out[0] * out[1] * out[2] * window_size();
        parallel_for(0, args_.planes, kPoolGrain / std::max<std::int64_t>(work, 1),
                     [&](std::int64_t begin, std::int64_t end) {
                       for (std::int64_t plane = begin; plane < end; ++plane) spread(plane);
                     });
      }
      return;
    }
    const std::int64_t work = std::max<std::int64_t>(out[2] * window_size(), 1);
    if constexpr (std::is_same_v<T, float>) {
      if (takes_squares(args_)) {
        parallel_for(0, args_.planes, kPoolGrain / (work * out[1]),
                     [&](std::int64_t begin, std::int64_t end) {
                       for (std::int64_t plane = begin; plane < end; ++plane)
                         take_squares(args_, plane);
                     });
        return;
      }
    }
    parallel_for(0, args_.planes * out[0] * out[1], kPoolGrain / work,
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t row = begin; row < end; ++row) take_row(row);
                 });
  }

 private:
  void take_row(std::int64_t row) const {
    if (args_.op == PoolingOp::kAverage) {
      if constexpr (sizeof(T) == 8 || std::is_floating_point_v<T>) average(row);
    } else if constexpr (std::is_floating_point_v<T>) {
      args_.indices != nullptr ? maximum<true>(row) : maximum<false>(row);
    } else {
      maximum<true>(row);  // integers are rare: one version is enough
    }
  }

  struct Row {
    std::int64_t plane, o[2];
    PoolingRange z, y;
  };
  /// The columns that the windows of a row meet, with the padding around them.
  struct Columns {
    T* all;                 // from the first column of the first window on; null: out of memory
    T* inside;              // those of the input
    std::int32_t* indices;  // of `all`
    std::int64_t before, count, width;
  };

  std::int64_t plane_size() const { return args_.sizes[0] * args_.sizes[1] * args_.sizes[2]; }
  std::int64_t window_size() const {
    std::int64_t count = 1;
    for (int d = 0; d < 3; ++d) {
      count *= args_.windows == PoolingWindows::kAdaptive
                   ? args_.sizes[d] / std::max<std::int64_t>(args_.out_sizes[d], 1) + 1
                   : std::min(args_.kernel[d], args_.sizes[d]);
    }
    return count;
  }

  Row row_of(std::int64_t row) const {
    const std::int64_t y = row % args_.out_sizes[1], rest = row / args_.out_sizes[1];
    const std::int64_t z = rest % args_.out_sizes[0], plane = rest / args_.out_sizes[0];
    return {plane, {z, y}, pooling_range(args_, plane, 0, z), pooling_range(args_, plane, 1, y)};
  }

  /// Returns scratch memory for the columns; `inside` is not set, the others are `outside`.
  Columns columns(T outside, bool with_indices) const {
    Columns columns{};
    columns.before = is_regular_ ? args_.padding[2] : 0;
    const std::int64_t reach = is_regular_ ? (args_.out_sizes[2] - 1) * args_.stride[2] +
                                                 (args_.kernel[2] - 1) * args_.dilation[2] + 1
                                           : 0;
    columns.width = std::max(reach, columns.before + args_.sizes[2]);
    columns.count = args_.sizes[2];
    const std::int64_t all = columns.width + (with_indices ? columns.width : 0);
    // One T per index, too, so that both parts are aligned; and a row of the result.
    T* const memory = thread_scratch<T>(all + args_.out_sizes[2]);
    columns.all = memory;
    if (memory == nullptr) {
      out_of_memory_ = true;
      return columns;
    }
    columns.inside = memory + columns.before;
    columns.indices = reinterpret_cast<std::int32_t*>(memory + columns.width);
    const auto fill = [&](auto* row, auto value) {
      std::fill_n(row, columns.before, value);
      std::fill(row + columns.before + columns.count, row + columns.width, value);
    };
    fill(columns.all, outside);
    if (with_indices) fill(columns.indices, kOutside);
    return columns;
  }

  /// Calls fn(row of the input, its offset in the plane, whether it is the first) for the rows of a
  /// window.
  template <class Fn>
  void for_each_row(const Row& row, const Fn& fn) const {
    const T* const plane = static_cast<const T*>(args_.in) + row.plane * plane_size();
    bool is_first = true;
    for (std::int64_t z = row.z.begin; z < row.z.end; z += row.z.step) {
      for (std::int64_t y = row.y.begin; y < row.y.end; y += row.y.step) {
        const std::int64_t offset = (z * args_.sizes[1] + y) * args_.sizes[2];
        fn(plane + offset, offset, is_first);
        is_first = false;
      }
    }
  }

  template <bool kIndices>
  void maximum(std::int64_t number) const {
    const Row row = row_of(number);
    const Columns columns = this->columns(Maximum::kIdentity<T>, kIndices);
    if (columns.all == nullptr) return;
    const std::int64_t n = columns.count;
    T* __restrict const best = columns.inside;
    std::int32_t* __restrict const index = columns.indices + columns.before;
    for_each_row(row, [&](const T* __restrict in, std::int64_t offset, bool is_first) {
      const auto base = static_cast<std::int32_t>(offset);
      if (is_first) {
        for (std::int64_t c = 0; c < n; ++c) best[c] = in[c];
        if constexpr (kIndices) {
          for (std::int64_t c = 0; c < n; ++c) index[c] = base + static_cast<std::int32_t>(c);
        }
      } else {
        for (std::int64_t c = 0; c < n; ++c) {
          const T x = in[c];
          const bool wins = x > best[c] || is_nan(x);
          best[c] = wins ? x : best[c];
          if constexpr (kIndices) {
            index[c] = wins ? base + static_cast<std::int32_t>(c) : index[c];
          }
        }
      }
    });
    T* const out = static_cast<T*>(args_.out) + number * args_.out_sizes[2];
    std::int32_t* const chosen = columns.indices + columns.width;
    if (is_regular_) {
      with_stride<T>(args_.stride[2], [&](auto stride) {
        maximum_of_columns<kIndices, decltype(stride)::value>(columns, out, chosen);
      });
    } else {
      for (std::int64_t o = 0; o < args_.out_sizes[2]; ++o) {
        const PoolingRange range = pooling_range(args_, row.plane, 2, o);
        T value = best[range.begin];
        std::int32_t at = kIndices ? index[range.begin] : 0;
        for (std::int64_t c = range.begin + range.step; c < range.end; c += range.step) {
          take_column<kIndices>(best[c], kIndices ? index[c] : 0, &value, &at);
        }
        out[o] = value;
        if constexpr (kIndices) chosen[o] = at;
      }
    }
    if (kIndices && args_.indices != nullptr) {
      std::int64_t* const to = args_.indices + number * args_.out_sizes[2];
      for (std::int64_t o = 0; o < args_.out_sizes[2]; ++o) to[o] = chosen[o];
    }
  }

  /// Takes the larger of two elements: the first of equal ones, the last of NaNs.
  template <bool kIndices>
  static void take_column(T x, std::int32_t index, T* value, std::int32_t* at) {
    if constexpr (kIndices) {
      const bool is_later = index > *at;
      const bool wins =
          (x > *value) | ((x == *value) & !is_later) | (is_nan(x) & (!is_nan(*value) | is_later));
      *at = wins ? index : *at;
      *value = wins ? x : *value;
    } else {
      *value = x > *value || is_nan(x) ? x : *value;
    }
  }

  template <bool kIndices, int kStride>
  void maximum_of_columns(const Columns& columns, T* __restrict out,
                          std::int32_t* __restrict chosen) const {
    const std::int64_t stride = kStride != 0 ? kStride : args_.stride[2];
    const std::int64_t n = args_.out_sizes[2];
    for (std::int64_t k = 0; k < args_.kernel[2]; ++k) {
      const T* __restrict const from = columns.all + k * args_.dilation[2];
      const std::int32_t* __restrict const indices = columns.indices + k * args_.dilation[2];
      if (k == 0) {
        for (std::int64_t o = 0; o < n; ++o) out[o] = from[o * stride];
        if constexpr (kIndices) {
          for (std::int64_t o = 0; o < n; ++o) chosen[o] = indices[o * stride];
        }
        continue;
      }
      for (std::int64_t o = 0; o < n; ++o) {
        T value = out[o];
        std::int32_t at = kIndices ? chosen[o] : 0;
        take_column<kIndices>(from[o * stride], kIndices ? indices[o * stride] : 0, &value, &at);
        out[o] = value;
        if constexpr (kIndices) chosen[o] = at;
      }
    }
  }

  /// Returns the divisor of the windows at a row, without that of the columns.
  std::int64_t row_divisor(const Row& row) const {
    if (args_.divisor != 0) return args_.divisor;
    return pooling_count(args_, 0, row.o[0]) * pooling_count(args_, 1, row.o[1]);
  }
  T divided(T x, std::int64_t rows, std::int64_t o) const {
    return x / static_cast<T>(args_.divisor != 0 ? rows : rows * pooling_count(args_, 2, o));
  }

  /// Divides the elements of a row of the output.
  void divide(T* to, const T* from, std::int64_t rows) const {
    const std::int64_t n = args_.out_sizes[2];
    std::int64_t begin = 0, end = n;
    if (args_.divisor == 0 && !is_regular_) {
      begin = end = 0;
    } else if (args_.divisor == 0) {  // windows at the border may have fewer elements
      begin = std::min((args_.padding[2] + args_.stride[2] - 1) / args_.stride[2], n);
      const std::int64_t room = args_.sizes[2] + args_.padding[2] - args_.kernel[2];
      end = std::clamp(room < 0 ? 0 : room / args_.stride[2] + 1, begin, n);
    }
    const auto count = static_cast<T>(args_.divisor != 0 ? rows : rows * args_.kernel[2]);
    for (std::int64_t o = 0; o < begin; ++o) to[o] = divided(from[o], rows, o);
    for (std::int64_t o = begin; o < end; ++o) to[o] = from[o] / count;
    for (std::int64_t o = end; o < n; ++o) to[o] = divided(from[o], rows, o);
  }

  /// Returns the sum of a window that has all columns of the input, whose rows are one span.
  T sum_of_whole_rows(const Row& row) const {
    const T* const plane = static_cast<const T*>(args_.in) + row.plane * plane_size();
    const std::int64_t count = (row.y.end - row.y.begin) * args_.sizes[2];
    Accumulator<Sum, T> sum = 0;
    for (std::int64_t z = row.z.begin; z < row.z.end; ++z) {
      sum += reduce_span<Sum>(plane + (z * args_.sizes[1] + row.y.begin) * args_.sizes[2], count);
    }
    return static_cast<T>(sum);
  }

  void average(std::int64_t number) const {
    const Row row = row_of(number);
    if (args_.out_sizes[2] == 1 && args_.sizes[2] > 1) {
      const PoolingRange range = pooling_range(args_, row.plane, 2, 0);
      if (range.begin == 0 && range.end == args_.sizes[2]) {
        T* const out = static_cast<T*>(args_.out) + number;
        *out = sum_of_whole_rows(row);
        divide(out, out, row_divisor(row));
        return;
      }
    }
    const Columns columns = this->columns(T(0), false);
    if (columns.all == nullptr) return;
    T* __restrict const sums = columns.inside;
    for_each_row(row, [&](const T* __restrict in, std::int64_t, bool is_first) {
      if (is_first) {
        for (std::int64_t c = 0; c < columns.count; ++c) sums[c] = in[c];
      } else {
        for (std::int64_t c = 0; c < columns.count; ++c) sums[c] += in[c];
      }
    });
    constexpr std::int64_t kFewWindows = 8;  // then a window is summed with vectors
    const std::int64_t n = args_.out_sizes[2];
    T* __restrict const out = static_cast<T*>(args_.out) + number * n;
    if (!is_regular_ || (n < kFewWindows && args_.kernel[2] > n)) {
      for (std::int64_t o = 0; o < n; ++o) {
        const PoolingRange range = pooling_range(args_, row.plane, 2, o);
        out[o] = reduce_short_span<Sum>(sums + range.begin, range.end - range.begin);
      }
    } else {
      with_stride<T>(args_.stride[2], [&](auto constant) {
        constexpr int kStride = decltype(constant)::value;
        const std::int64_t stride = kStride != 0 ? kStride : args_.stride[2];
        for (std::int64_t k = 0; k < args_.kernel[2]; ++k) {
          const T* __restrict const from = columns.all + k;
          if (k == 0) {
            for (std::int64_t o = 0; o < n; ++o) out[o] = from[o * stride];
          } else {
            for (std::int64_t o = 0; o < n; ++o) out[o] += from[o * stride];
          }
        }
      });
    }
    divide(out, out, row_divisor(row));
  }

  /// Computes one plane of the gradient of the input.
  void spread(std::int64_t plane) const {
    const std::int64_t n = args_.out_sizes[2];
    T* const to = static_cast<T*>(args_.out) + plane * plane_size();
    std::fill_n(to, plane_size(), T(0));
    const std::int64_t rows = args_.out_sizes[0] * args_.out_sizes[1];
    for (std::int64_t number = plane * rows; number < (plane + 1) * rows; ++number) {
      const Row row = row_of(number);
      const Columns columns = this->columns(T(0), false);
      if (columns.all == nullptr) return;
      T* __restrict const sums = columns.all;
      T* __restrict const shares = columns.all + columns.width;
      std::fill_n(sums, columns.width, T(0));
      divide(shares, static_cast<const T*>(args_.in) + number * n, row_divisor(row));
      if (is_regular_) {
        for (std::int64_t k = 0; k < args_.kernel[2]; ++k) {
          for (std::int64_t o = 0; o < n; ++o) sums[o * args_.stride[2] + k] += shares[o];
        }
      } else {
        for (std::int64_t o = 0; o < n; ++o) {
          const PoolingRange range = pooling_range(args_, plane, 2, o);
          for (std::int64_t c = range.begin; c < range.end; ++c) sums[c] += shares[o];
        }
      }
      for (std::int64_t z = row.z.begin; z < row.z.end; ++z) {
        for (std::int64_t y = row.y.begin; y < row.y.end; ++y) {
          T* __restrict const line = to + (z * args_.sizes[1] + y) * args_.sizes[2];
          for (std::int64_t c = 0; c < columns.count; ++c) line[c] += columns.inside[c];
        }
      }
    }
  }

  const PoolingArgs& args_;
  bool is_regular_;  // the columns of a row are copied with the padding around them
  std::atomic<bool>& out_of_memory_;
};

void pooling(const PoolingArgs& args, KernelContext& context) {
  const bool is_max = args.op == PoolingOp::kMax;
  const bool takes_long = args.op == PoolingOp::kAverage && args.dtype == kLong;
  if (is_max ? args.dtype == kBool : !is_floating_point(args.dtype) && !takes_long) {
    context.status = StatusCode::kUnsupportedDtype;
    return;
  }
  std::atomic<bool> out_of_memory = false;
  run_widened_rows(args, &PoolingArgs::planes, [&](const PoolingArgs& wide) {
    visit_math_dtype(wide.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (!std::is_same_v<T, bool>) PoolingRows<T>(wide, out_of_memory).run();
    });
  });
  if (out_of_memory) context.status = StatusCode::kOutOfMemory;
}

}  // namespace

void register_pooling(kernels::KernelTable& table) {
  kernels::set<kernels::PoolingArgs, pooling>(table);
}

}  // namespace tern::cpu
