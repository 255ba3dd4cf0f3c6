// Instruction sets: baseline avx2.

#include <algorithm>
#include <atomic>
#include <type_traits>

#include <tern/backends/cpu/kernels/sort/row_order.h>
#include <tern/backends/cpu/kernels/support/span.h>
#include <tern/backends/cpu/kernels/support/strided.h>
#include <tern/backends/cpu/kernels/support/widen.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/by_size.h>
#include <tern/core/kernels/families/index.h>

namespace tern::cpu {
namespace {

using namespace kernels;

constexpr std::int64_t kIndexGrain = 16384, kCheckGrain = 65536;

bool check_indices(const IndexArgs& args, std::int64_t count, KernelContext& context) {
  const auto limit = static_cast<std::uint64_t>(args.limit);
  std::atomic<bool> found = false;
  parallel_for(0, count, kCheckGrain, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t* const index = args.index;
    std::uint64_t bad = 0;
    for (std::int64_t j = begin; j < end; ++j) {
      bad |= static_cast<std::uint64_t>(index[j]) >= limit ? 1 : 0;
    }
    if (bad != 0) found = true;
  });
  if (!found) return true;
  for (std::int64_t j = 0; j < count; ++j) {
    if (static_cast<std::uint64_t>(args.index[j]) < limit) continue;
    context.status = StatusCode::kIndexOutOfRange;
    context.detail = args.index[j];
    context.limit = args.limit;
    return false;
  }
  return true;
}

template <class T>
void select_numbers(T* __restrict out, const T* __restrict in, const std::int64_t* __restrict index,
                    std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) out[j] = in[index[j]];
}

template <class T>
void gather_row(T* __restrict out, const T* __restrict in, const std::int64_t* __restrict index,
                std::int64_t inner) {
  for (std::int64_t i = 0; i < inner; ++i) out[i] = in[index[i] * inner + i];
}

template <class T>
void select(const IndexArgs& args) {
  const auto in = static_cast<const T*>(args.in);
  const auto out = static_cast<T*>(args.out);
  const std::int64_t* const index = args.index;
  const std::int64_t inner = args.inner, count = args.count, in_size = args.in_size;
  if (inner == 1) {
    parallel_for(0, args.outer, kIndexGrain / count, [=](std::int64_t begin, std::int64_t end) {
      for (std::int64_t o = begin; o < end; ++o) {
        select_numbers(out + o * count, in + o * in_size, index, count);
      }
    });
    return;
  }
  parallel_for(0, args.outer * count, kIndexGrain / inner,
               [=](std::int64_t begin, std::int64_t end) {
                 std::int64_t o = begin / count, j = begin % count;
                 for (std::int64_t row = begin; row < end; ++row) {
                   copy_span(out + row * inner, in + (o * in_size + index[j]) * inner,
                             inner * static_cast<std::int64_t>(sizeof(T)));
                   if (++j == count) j = 0, ++o;
                 }
               });
}

template <class T>
void gather(const IndexArgs& args) {
  const auto in = static_cast<const T*>(args.in);
  const auto out = static_cast<T*>(args.out);
  const std::int64_t* const index = args.index;
  const std::int64_t inner = args.inner, count = args.count, in_size = args.in_size;
  if (inner == 1) {
    parallel_for(0, args.outer, kIndexGrain / count, [=](std::int64_t begin, std::int64_t end) {
      for (std::int64_t o = begin; o < end; ++o) {
        select_numbers(out + o * count, in + o * in_size, index + o * count, count);
      }
    });
    return;
  }
  parallel_for(0, args.outer * count, kIndexGrain / inner,
               [=](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t row = begin; row < end; ++row) {
                   gather_row(out + row * inner, in + row / count * in_size * inner,
                              index + row * inner, inner);
                 }
               });
}

template <class T>
T plus(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) return a | b;
  return static_cast<T>(a + b);
}

template <class T>
void add_indexed_row(T* __restrict out, const T* __restrict in, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = plus(out[i], in[i]);
}

struct AddElements {
  template <class T>
  static T combine(T a, T b) {
    return plus(a, b);
  }
};
struct MultiplyElements {
  template <class T>
  static T combine(T a, T b) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      using Unsigned = std::make_unsigned_t<T>;  // wraps around
      return static_cast<T>(static_cast<Unsigned>(a) * static_cast<Unsigned>(b));
    } else {
      return static_cast<T>(a * b);
    }
  }
};
struct ReplaceElements {
  template <class T>
  static T combine(T, T b) {
    return b;
  }
};

template <class Op, class T>
void scatter_row(T* __restrict out, const T* __restrict in, const std::int64_t* __restrict index,
                 std::int64_t n, std::int64_t inner) {
  for (std::int64_t i = 0; i < n; ++i) {
    T& to = out[index[i] * inner + i];
    to = Op::template combine<T>(to, in[i]);
  }
}

template <class Op, class T>
void scatter_numbers(T* __restrict out, const T* __restrict in,
                     const std::int64_t* __restrict index, std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) {
    T& to = out[index[j]];
    to = Op::template combine<T>(to, in[j]);
  }
}

/// Combines serially in j, so that equal indices do so in order; rows of `outer` and pieces of
/// `inner` are independent.
template <class Op, class T, bool kScatter>
void write_rows(const IndexArgs& args) {
  const std::int64_t inner = args.inner, count = args.count;
  const auto write_piece = [&](std::int64_t o, std::int64_t first, std::int64_t last) {
    T* const out = static_cast<T*>(args.out) + o * args.out_size * inner + first;
    if (inner == 1) {
      scatter_numbers<Op>(out, static_cast<const T*>(args.in) + o * count,
                          args.index + (kScatter ? o * count : 0), count);
      return;
    }
    for (std::int64_t j = 0; j < count; ++j) {
      const std::int64_t row = (o * count + j) * inner + first;
      const T* const in = static_cast<const T*>(args.in) + row;
      if constexpr (kScatter) {
        scatter_row<Op>(out, in, args.index + row, last - first, inner);
      } else {
        add_indexed_row(out + args.index[j] * inner, in, last - first);
      }
    }
  };
  if (args.outer > 1) {
    parallel_for(0, args.outer, kIndexGrain / (count * inner),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t o = begin; o < end; ++o) write_piece(o, 0, inner);
                 });
  } else {
    parallel_for(0, inner, kIndexGrain / count,
                 [&](std::int64_t begin, std::int64_t end) { write_piece(0, begin, end); });
  }
}

/// Adds rows of narrow floats in float and rounds each sum once. Sorts the index, so that the rows
/// for one row of the output follow each other.
void add_sorted(const IndexArgs& args) {
  constexpr std::int64_t kPiece = 1024;
  const auto in = static_cast<const std::uint16_t*>(args.in);
  const auto out = static_cast<std::uint16_t*>(args.out);
  const Loop widen = widening_loop(args.dtype), narrow = narrowing_loop(args.dtype);
  const std::int64_t inner = args.inner, count = args.count;
  for_each_row(1, count, [&](RowOrder& order, std::int64_t) {
    order.read({kLong, reinterpret_cast<const char*>(args.index), count, 1}, false);
    const Item* const items = order.sort();
    const auto same_row = [&](std::int64_t a, std::int64_t b) {
      return order.key(items[a]) == order.key(items[b]);
    };
    const auto add_piece = [&](std::int64_t o, std::int64_t first, std::int64_t begin,
                               std::int64_t end) {
      float sum[kPiece], row[kPiece];
      const std::int64_t n = std::min(kPiece, inner - first);
      const std::int64_t to = args.index[order.index(items[begin])];
      std::uint16_t* const target = out + (o * args.out_size + to) * inner + first;
      const void* from = target;
      widen(sum, &from, n, nullptr);
      for (std::int64_t j = begin; j < end; ++j) {
        from = in + (o * count + order.index(items[j])) * inner + first;
        widen(row, &from, n, nullptr);
        add_indexed_row(sum, row, n);
      }
      from = sum;
      narrow(target, &from, n, nullptr);
    };
    // A thread adds the rows of the output whose first item is among its items.
    parallel_for(0, count, kIndexGrain / (args.outer * inner),
                 [&](std::int64_t begin, std::int64_t end) {
                   while (begin < end && begin > 0 && same_row(begin - 1, begin)) ++begin;
                   for (std::int64_t last; begin < end; begin = last) {
                     for (last = begin + 1; last < count && same_row(begin, last);) ++last;
                     for (std::int64_t o = 0; o < args.outer; ++o) {
                       for (std::int64_t i = 0; i < inner; i += kPiece)
                         add_piece(o, i, begin, last);
                     }
                   }
                 });
  });
}

/// Adds narrow floats in float, and rounds each sum once.
template <class Add>
void add_widened(const IndexArgs& args, const Add& add) {
  constexpr std::int64_t kLongRow = 64;
  constexpr std::int64_t kElementsPerIndex = 256;  // what could be converted while it is sorted
  const std::int64_t inner = args.inner;
  if (args.op != IndexOp::kAdd) return run_widened_rows(args, &IndexArgs::outer, add);
  const bool few = 2 * args.count * (inner + kElementsPerIndex) <= args.out_size * inner;
  if (few || inner >= kLongRow) return add_sorted(args);
  run_widened_columns(args, &IndexArgs::outer, &IndexArgs::inner, add);
}

/// Runs a scatter with a reduction other than a sum, in the math dtype.
template <class Op>
void reduce_scattered(const IndexArgs& args) {
  run_widened_rows(args, &IndexArgs::outer, [](const IndexArgs& wide) {
    switch (wide.dtype) {
      case kFloat:
        return write_rows<Op, float, true>(wide);
      case kDouble:
        return write_rows<Op, double, true>(wide);
      case kInt:
        return write_rows<Op, std::int32_t, true>(wide);
      case kLong:
        return write_rows<Op, std::int64_t, true>(wide);
      default:
        return write_rows<Op, bool, true>(wide);
    }
  });
}

void write_indexed(const IndexArgs& args) {
  const auto add = [&](auto tag, const IndexArgs& in_dtype) {
    using T = typename decltype(tag)::type;
    one_index_per_row(args) ? write_rows<AddElements, T, false>(in_dtype)
                            : write_rows<AddElements, T, true>(in_dtype);
  };
  switch (args.op) {
    case IndexOp::kScatterProd:
      return reduce_scattered<MultiplyElements>(args);
    case IndexOp::kScatterAmax:
      return reduce_scattered<Maximum>(args);
    case IndexOp::kScatterAmin:
      return reduce_scattered<Minimum>(args);
    case IndexOp::kScatter:
      return visit_size(element_size(args.dtype), [&](auto tag) {
        write_rows<ReplaceElements, typename decltype(tag)::type, true>(args);
      });
    default:
      break;
  }
  switch (args.dtype) {
    case kHalf:
    case kBFloat16:  // rounded once, after all additions
      return add_widened(args, [&](const IndexArgs& wide) { add(TypeTag<float>(), wide); });
    case kFloat:
      return add(TypeTag<float>(), args);
    case kDouble:
      return add(TypeTag<double>(), args);
    case kBool:
      return add(TypeTag<bool>(), args);
    default:  // unsigned integers wrap around
      return visit_size(element_size(args.dtype), [&](auto tag) { add(tag, args); });
  }
}

void index(const IndexArgs& args, KernelContext& context) {
  const bool per_element = !one_index_per_row(args);
  const std::int64_t indices = per_element ? args.outer * args.count * args.inner : args.count;
  if (indices == 0 || !check_indices(args, indices, context)) return;
  if (!reads_indexed(args)) return write_indexed(args);
  visit_size(element_size(args.dtype), [&](auto tag) {
    using T = typename decltype(tag)::type;
    per_element ? gather<T>(args) : select<T>(args);
  });
}

}  // namespace

void register_index(kernels::KernelTable& table) { kernels::set<kernels::IndexArgs, index>(table); }

}  // namespace tern::cpu
