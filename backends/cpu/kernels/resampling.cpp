// Instruction sets: baseline avx2.

#include <algorithm>
#include <cstring>
#include <limits>

#include <tern/backends/cpu/kernels/support/scratch.h>
#include <tern/backends/cpu/kernels/support/span.h>
#include <tern/backends/cpu/kernels/support/widen.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/resample_axis.h>

namespace tern::cpu {
namespace {

using namespace kernels;

constexpr std::int64_t kResampleGrain = 16384;  // products per thread

/// Indices and weights of all results. Tap k of result o is at k * out_size + o. Missing taps have
/// the weight 0 and must not be read: the product with an infinite element is NaN.
template <class T>
struct ResampleTable {
  std::int64_t taps, outs;
  T* weights;  // null: out of memory
  std::int32_t* indices = nullptr;

  explicit ResampleTable(const ResampleArgs& args) {
    const ResampleAxis<T> axis(args);
    taps = std::min(axis.most_taps(), std::max<std::int64_t>(args.in_size, 4));
    outs = args.out_size;
    weights = thread_scratch<T>(2 * taps * outs);
    if (weights == nullptr) return;
    indices = reinterpret_cast<std::int32_t*>(weights + taps * outs);
    for (std::int64_t o = 0; o < outs; ++o) {
      const ResampleTaps<T> found = axis.taps(o);
      for (std::int64_t k = 0; k < taps; ++k) {
        const bool exists = k < found.count;
        weights[k * outs + o] = exists ? axis.weight(found, k) : T(0);
        indices[k * outs + o] =
            static_cast<std::int32_t>(axis.index(found, exists ? k : found.count - 1));
      }
    }
  }
};

/// Resamples rows of single elements: each result gathers its taps.
template <class T>
void gather_taps(const ResampleTable<T>& table, const T* __restrict in, T* __restrict out) {
  const std::int64_t n = table.outs;
  const T* __restrict const w = table.weights;
  const std::int32_t* __restrict const at = table.indices;
  if (table.taps == 1) {
    for (std::int64_t o = 0; o < n; ++o) out[o] = in[at[o]];
  } else if (table.taps == 2) {
    for (std::int64_t o = 0; o < n; ++o) out[o] = w[o] * in[at[o]] + w[n + o] * in[at[n + o]];
  } else {
    for (std::int64_t o = 0; o < n; ++o) out[o] = w[o] * in[at[o]];
    for (std::int64_t k = 1; k < table.taps; ++k) {
      for (std::int64_t o = 0; o < n; ++o) {
        const T weight = w[k * n + o];
        out[o] += weight == T(0) ? T(0) : weight * in[at[k * n + o]];
      }
    }
  }
}

/// Adds the products of `count` columns.
template <class T>
void add_columns(T* __restrict out, const T* __restrict in, T weight, std::int64_t count,
                 bool is_first) {
  if (is_first) {
    for (std::int64_t c = 0; c < count; ++c) out[c] = weight * in[c];
  } else {
    for (std::int64_t c = 0; c < count; ++c) out[c] += weight * in[c];
  }
}

template <class T>
void resample_rows(const ResampleArgs& args, const ResampleTable<T>& table) {
  const std::int64_t inner = args.inner, n = table.outs;
  const T* const in = static_cast<const T*>(args.in);
  T* const out = static_cast<T*>(args.out);
  if (inner == 1) {
    parallel_for(0, args.outer, kResampleGrain / (n * table.taps),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t row = begin; row < end; ++row) {
                     gather_taps(table, in + row * args.in_size, out + row * n);
                   }
                 });
    return;
  }
  parallel_for(0, args.outer * n, kResampleGrain / (inner * table.taps),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t row = begin; row < end; ++row) {
                   const std::int64_t o = row % n;
                   const T* const plane = in + row / n * args.in_size * inner;
                   T* __restrict const to = out + row * inner;
                   if (table.taps == 2) {
                     const T a = table.weights[o], b = table.weights[n + o];
                     const T* __restrict const x = plane + table.indices[o] * inner;
                     const T* __restrict const y = plane + table.indices[n + o] * inner;
                     for (std::int64_t c = 0; c < inner; ++c) to[c] = a * x[c] + b * y[c];
                   } else if (table.taps == 1) {
                     copy_span(to, plane + table.indices[o] * inner,
                               inner * static_cast<std::int64_t>(sizeof(T)));
                   } else {
                     for (std::int64_t k = 0; k < table.taps; ++k) {
                       const T weight = table.weights[k * n + o];
                       if (k > 0 && weight == T(0)) continue;
                       add_columns(to, plane + table.indices[k * n + o] * inner, weight, inner,
                                   k == 0);
                     }
                   }
                 }
               });
}

template <class T>
void resample_back(const ResampleArgs& args, const ResampleTable<T>& table) {
  const std::int64_t inner = args.inner, n = table.outs;
  parallel_for(0, args.outer, kResampleGrain / std::max<std::int64_t>(n * table.taps * inner, 1),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t plane = begin; plane < end; ++plane) {
                   const T* const from = static_cast<const T*>(args.in) + plane * n * inner;
                   T* const to = static_cast<T*>(args.out) + plane * args.in_size * inner;
                   std::fill_n(to, args.in_size * inner, T(0));
                   for (std::int64_t k = 0; k < table.taps; ++k) {
                     const T* const w = table.weights + k * n;
                     const std::int32_t* const at = table.indices + k * n;
                     for (std::int64_t o = 0; o < n; ++o) {
                       if (w[o] == T(0)) continue;
                       if (inner == 1) {
                         to[at[o]] += w[o] * from[o];
                       } else {
                         add_columns(to + at[o] * inner, from + o * inner, w[o], inner, false);
                       }
                     }
                   }
                 }
               });
}

void resample(const ResampleArgs& args, KernelContext& context) {
  run_widened(args, [&](const ResampleArgs& wide) {
    visit_floating(wide.dtype, context, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const ResampleTable<T> table(wide);
      if (table.weights == nullptr) {
        context.status = StatusCode::kOutOfMemory;
      } else if (wide.backward != 0) {
        resample_back(wide, table);
      } else {
        resample_rows(wide, table);
      }
    });
  });
}

}  // namespace

void register_resampling(kernels::KernelTable& table) {
  kernels::set<kernels::ResampleArgs, resample>(table);
}

}  // namespace tern::cpu
