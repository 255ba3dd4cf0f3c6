#include <cstring>

#include <tern/backends/cpu/kernels/kernels.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/formulas.h>

namespace tern::cpu {
namespace {

using namespace kernels;

constexpr std::int64_t kGrain = 16384;

bool check_indices(const IndexArgs& args, std::int64_t count, KernelContext& context) {
  std::uint64_t bad = 0;
  const auto limit = static_cast<std::uint64_t>(args.limit);
  for (std::int64_t j = 0; j < count; ++j) {
    bad |= static_cast<std::uint64_t>(args.index[j]) >= limit ? 1 : 0;
  }
  if (bad == 0) return true;
  for (std::int64_t j = 0; j < count; ++j) {
    if (static_cast<std::uint64_t>(args.index[j]) < limit) continue;
    context.status = StatusCode::kIndexOutOfRange;
    context.detail = args.index[j];
    context.limit = args.limit;
    return false;
  }
  return true;
}

/// One number per row when inner is 1, else whole rows.
template <class T>
void select(const IndexArgs& args) {
  const auto in = static_cast<const T*>(args.in);
  const auto out = static_cast<T*>(args.out);
  const std::int64_t inner = args.inner, count = args.count;
  parallel_for(0, args.outer * count, kGrain / inner, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t o = begin / count, j = begin % count;
    for (std::int64_t row = begin; row < end; ++row) {
      const T* from = in + (o * args.in_size + args.index[j]) * inner;
      if (inner == 1) {
        out[row] = *from;
      } else {
        std::memcpy(out + row * inner, from, static_cast<std::size_t>(inner) * sizeof(T));
      }
      if (++j == count) j = 0, ++o;
    }
  });
}

template <class T>
void gather(const IndexArgs& args) {
  const auto in = static_cast<const T*>(args.in);
  const auto out = static_cast<T*>(args.out);
  const std::int64_t inner = args.inner, count = args.count;
  parallel_for(0, args.outer * count, kGrain / inner, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const T* from = in + row / count * args.in_size * inner;
      for (std::int64_t i = 0; i < inner; ++i) {
        out[row * inner + i] = from[args.index[row * inner + i] * inner + i];
      }
    }
  });
}

template <class T>
T plus(T a, T b) {
  return formulas::add::value(a, b);
}

/// Serial in j, so that equal indices add up in order; rows of `outer` and pieces of `inner` are
/// independent.
template <class T, bool kScatter>
void add_rows(const IndexArgs& args) {
  const auto in = static_cast<const T*>(args.in);
  const auto out = static_cast<T*>(args.out);
  const std::int64_t inner = args.inner, count = args.count;
  const auto add_piece = [&](std::int64_t o, std::int64_t first, std::int64_t last) {
    for (std::int64_t j = 0; j < count; ++j) {
      const std::int64_t row = (o * count + j) * inner;
      if constexpr (kScatter) {
        for (std::int64_t i = first; i < last; ++i) {
          T& to = out[(o * args.out_size + args.index[row + i]) * inner + i];
          to = plus(to, in[row + i]);
        }
      } else {
        T* __restrict to = out + (o * args.out_size + args.index[j]) * inner;
        const T* __restrict from = in + row;
        for (std::int64_t i = first; i < last; ++i) to[i] = plus(to[i], from[i]);
      }
    }
  };
  if (args.outer > 1) {
    parallel_for(0, args.outer, kGrain / (count * inner),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t o = begin; o < end; ++o) add_piece(o, 0, inner);
                 });
  } else {
    parallel_for(0, inner, kGrain / count,
                 [&](std::int64_t begin, std::int64_t end) { add_piece(0, begin, end); });
  }
}

template <class T>
void index_typed(const IndexArgs& args) {
  switch (args.op) {
    case IndexOp::kSelect:
      return select<T>(args);
    case IndexOp::kGather:
      return gather<T>(args);
    case IndexOp::kAdd:
      return add_rows<T, false>(args);
    case IndexOp::kScatterAdd:
      return add_rows<T, true>(args);
  }
}

}  // namespace

void index(const IndexArgs& args, KernelContext& context) {
  const bool per_element = args.op == IndexOp::kGather || args.op == IndexOp::kScatterAdd;
  const std::int64_t indices = per_element ? args.outer * args.count * args.inner : args.count;
  if (indices == 0 || !check_indices(args, indices, context)) return;
  visit_dtype(args.dtype, [&](auto tag) { index_typed<typename decltype(tag)::type>(args); });
}

}  // namespace tern::cpu
