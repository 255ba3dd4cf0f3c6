// Instruction sets: baseline avx2.

#include <algorithm>
#include <atomic>

#include <tern/backends/cpu/kernels/support/span.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/by_size.h>
#include <tern/core/kernels/families/advanced_index.h>
#include <tern/core/kernels/math/math_dtype.h>

namespace tern::cpu {
namespace {

using namespace kernels;

constexpr std::int64_t kAdvancedGrain = 16384;

/// The offsets of some rows of indices, computed once for all outer dimensions.
constexpr std::int64_t kOffsets = 512;

struct IndexBounds {
  std::int64_t shift;   // 0, or size if negative indices count from the end
  std::uint64_t count;  // index + shift is below it if the index is valid

  bool allows(std::int64_t index) const {
    return static_cast<std::uint64_t>(index) + static_cast<std::uint64_t>(shift) < count;
  }
};

bool all_allowed(const std::int64_t* index, std::int64_t n, IndexBounds bounds) {
  unsigned bad = 0;
  for (std::int64_t k = 0; k < n; ++k) bad |= bounds.allows(index[k]) ? 0 : 1;
  return bad == 0;
}

bool check_bounds(const AdvancedIndexArgs& args, KernelContext& context) {
  for (std::int32_t d = 0; d < args.indexed; ++d) {
    const std::int64_t size = args.sizes[d], shift = args.wraps != 0 ? size : 0;
    const IndexBounds bounds{shift,
                             static_cast<std::uint64_t>(size) + static_cast<std::uint64_t>(shift)};
    const std::int64_t* const index = args.index + d * args.count;
    std::atomic<bool> good = true;
    parallel_for(0, args.count, 2 * kAdvancedGrain, [&](std::int64_t begin, std::int64_t end) {
      if (!all_allowed(index + begin, end - begin, bounds)) good = false;
    });
    if (good) continue;
    const std::int64_t* const bad = std::find_if_not(
        index, index + args.count, [bounds](std::int64_t i) { return bounds.allows(i); });
    context.status = StatusCode::kIndexOutOfRange;
    context.dim = args.dims[d];
    context.detail = *bad;
    context.limit = size;
    return false;
  }
  return true;
}

[[gnu::noinline]] void find_offsets(const AdvancedIndexArgs& args, std::int64_t begin,
                                    std::int64_t n, std::int64_t* __restrict offsets) {
  for (std::int32_t d = 0; d < args.indexed; ++d) {
    const std::int64_t* __restrict index = args.index + d * args.count + begin;
    const std::int64_t size = args.sizes[d], stride = args.strides[d];
    for (std::int64_t k = 0; k < n; ++k) {
      const std::int64_t before = d == 0 ? 0 : offsets[k];
      offsets[k] = before + (index[k] + (index[k] < 0 ? size : 0)) * stride;
    }
  }
}

/// Calls visit(o, k, n, offsets) for spans of at most kOffsets rows of indices.
template <class Visit>
void each_offset_span(const AdvancedIndexArgs& args, std::int64_t first_outer,
                      std::int64_t last_outer, std::int64_t begin, std::int64_t end,
                      const Visit& visit) {
  std::int64_t offsets[kOffsets];
  for (std::int64_t k = begin; k < end; k += kOffsets) {
    const std::int64_t n = std::min(kOffsets, end - k);
    find_offsets(args, k, n, offsets);
    for (std::int64_t o = first_outer; o < last_outer; ++o) visit(o, k, n, offsets);
  }
}

template <class T>
void get_span(T* __restrict out, const T* __restrict in, const std::int64_t* __restrict offsets,
              std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k) out[k] = in[offsets[k]];
}

template <class T>
void get_advanced(const AdvancedIndexArgs& args) {
  const std::int64_t inner = args.inner, stride = args.inner_stride;
  const auto visit = [&](std::int64_t o, std::int64_t k, std::int64_t n,
                         const std::int64_t* offsets) {
    const T* const in = static_cast<const T*>(args.in) + o * args.outer_stride;
    T* const out = static_cast<T*>(args.out) + (o * args.count + k) * inner;
    if (inner == 1) return get_span(out, in, offsets, n);
    for (std::int64_t j = 0; j < n; ++j) {
      if (stride == 1) {
        copy_span(out + j * inner, in + offsets[j], inner * static_cast<std::int64_t>(sizeof(T)));
      } else {
        gather_span(out + j * inner, in + offsets[j], stride, inner);
      }
    }
  };
  if (args.outer > args.count) {
    parallel_for(0, args.outer, kAdvancedGrain / (args.count * inner),
                 [&](std::int64_t begin, std::int64_t end) {
                   each_offset_span(args, begin, end, 0, args.count, visit);
                 });
  } else {
    parallel_for(0, args.count, kAdvancedGrain / (args.outer * inner),
                 [&](std::int64_t begin, std::int64_t end) {
                   each_offset_span(args, 0, args.outer, begin, end, visit);
                 });
  }
}

struct PutElement {
  template <class T>
  static void write(T& to, T x) {
    to = x;
  }
};
struct AccumulateElement {
  template <class T>
  static void write(T& to, T x) {
    if constexpr (std::is_same_v<T, bool>) {
      to |= x;
    } else {
      using Wide = MathType<T>;
      to = static_cast<T>(static_cast<Wide>(to) + static_cast<Wide>(x));
    }
  }
};

/// Writes x[k * step] to out[offsets[k]].
template <class Op, class T>
void write_span(T* __restrict out, const T* __restrict x, std::int64_t step,
                const std::int64_t* __restrict offsets, std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k) Op::write(out[offsets[k]], x[k * step]);
}

template <class Op, class T>
void write_advanced_row(T* __restrict out, std::int64_t stride, const T* __restrict x,
                        std::int64_t step, std::int64_t n) {
  if (stride == 1 && step == 1) {
    for (std::int64_t i = 0; i < n; ++i) Op::write(out[i], x[i]);
  } else {
    for (std::int64_t i = 0; i < n; ++i) Op::write(out[i * stride], x[i * step]);
  }
}

/// Writes serially in k, so that equal indices do so in order; outer dimensions and pieces of
/// `inner` are independent.
template <class Op, class T>
void put_advanced(const AdvancedIndexArgs& args) {
  const std::int64_t inner = args.inner, step = args.one_value != 0 ? 0 : 1;
  const auto put_pieces = [&](std::int64_t first_outer, std::int64_t last_outer, std::int64_t first,
                              std::int64_t last) {
    each_offset_span(
        args, first_outer, last_outer, 0, args.count,
        [&](std::int64_t o, std::int64_t k, std::int64_t n, const std::int64_t* offsets) {
          T* const out =
              static_cast<T*>(args.out) + o * args.outer_stride + first * args.inner_stride;
          const T* const in =
              static_cast<const T*>(args.in) + ((o * args.count + k) * inner + first) * step;
          if (inner == 1) return write_span<Op>(out, in, step, offsets, n);
          for (std::int64_t j = 0; j < n; ++j) {
            write_advanced_row<Op>(out + offsets[j], args.inner_stride, in + j * inner * step, step,
                                   last - first);
          }
        });
  };
  if (args.outer > 1) {
    parallel_for(0, args.outer, kAdvancedGrain / (args.count * inner),
                 [&](std::int64_t begin, std::int64_t end) { put_pieces(begin, end, 0, inner); });
  } else {
    parallel_for(0, inner, kAdvancedGrain / args.count,
                 [&](std::int64_t begin, std::int64_t end) { put_pieces(0, 1, begin, end); });
  }
}

void advanced_index(const AdvancedIndexArgs& args, KernelContext& context) {
  if (args.outer == 0 || args.count == 0 || args.inner == 0) return;
  if (!check_bounds(args, context)) return;
  if (args.action == IndexAction::kAccumulate) {
    switch (args.dtype) {
      case kHalf:
      case kBFloat16:
        context.status = StatusCode::kUnsupportedDtype;
        return;
      case kFloat:
        return put_advanced<AccumulateElement, float>(args);
      case kDouble:
        return put_advanced<AccumulateElement, double>(args);
      case kBool:
        return put_advanced<AccumulateElement, bool>(args);
      case kLong:
        return put_advanced<AccumulateElement, std::uint64_t>(args);
      default:
        break;
    }
  }
  visit_size(element_size(args.dtype), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (args.action == IndexAction::kGet) {
      get_advanced<T>(args);
    } else if (args.action == IndexAction::kPut) {
      put_advanced<PutElement, T>(args);
    } else if constexpr (sizeof(T) < 8) {  // unsigned integers wrap around
      put_advanced<AccumulateElement, T>(args);
    }
  });
}

}  // namespace

void register_advanced_index(kernels::KernelTable& table) {
  kernels::set<kernels::AdvancedIndexArgs, advanced_index>(table);
}

}  // namespace tern::cpu
