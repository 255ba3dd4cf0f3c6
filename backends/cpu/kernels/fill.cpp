// Instruction sets: baseline avx2.

#include <bit>
#include <cstring>

#include <tern/backends/cpu/kernels/support/dims.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/by_size.h>
#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/kernels/families/fill.h>
#include <tern/core/kernels/math/math_dtype.h>
#include <tern/core/kernels/stride_walker.h>

namespace tern::cpu {
namespace {

using namespace kernels;

constexpr std::int64_t kFillGrain = 32768;

template <class T>
void fill_span(T* __restrict out, std::int64_t stride, std::int64_t n, T value) {
  if (stride == 1) {
    for (std::int64_t i = 0; i < n; ++i) out[i] = value;
  } else {
    for (std::int64_t i = 0; i < n; ++i) out[i * stride] = value;
  }
}

bool is_contiguous(const View& view) {
  std::int64_t expected = 1;
  for (int d = view.ndim - 1; d >= 0; --d) {
    if (view.sizes[d] != 1 && view.strides[d] != expected) return false;
    expected *= view.sizes[d];
  }
  return true;
}

template <class T>
void fill_view(View view, T value) {
  T* const out = static_cast<T*>(view.data);
  sort_dims(view.ndim, view.sizes, view.strides);
  if (is_contiguous(view)) {
    parallel_for(0, product(view.ndim, view.sizes), kFillGrain,
                 [&](std::int64_t begin, std::int64_t end) {
                   fill_span(out + begin, 1, end - begin, value);
                 });
    return;
  }
  const int outer = view.ndim - 1;
  const std::int64_t n = view.sizes[outer], stride = view.strides[outer];
  parallel_for(0, product(outer, view.sizes), kFillGrain / n,
               [&](std::int64_t begin, std::int64_t end) {
                 StrideWalker<1> row(outer, view.sizes, {view.strides});
                 row.seek(begin);
                 for (std::int64_t i = begin; i < end; ++i, row.next()) {
                   fill_span(out + row.offsets[0], stride, n, value);
                 }
               });
}

/// PyTorch's vector code computes groups of `kGroup` from the group's first element, rounded to the
/// dtype, and the other elements one by one; the results differ in the last bit.
template <class T>
void arange_span(T* __restrict out, std::int64_t count, double start, double step) {
  constexpr std::int64_t kGroup = 32 / sizeof(T);
  const std::int64_t grouped = count / (2 * kGroup) * (2 * kGroup);
  parallel_for(0, grouped / kGroup, kFillGrain / kGroup, [=](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin * kGroup; i < end * kGroup; i += kGroup) {
      const auto first = static_cast<double>(static_cast<T>(start + step * static_cast<double>(i)));
      for (std::int64_t k = 0; k < kGroup; ++k) {
        out[i + k] = static_cast<T>(first + static_cast<double>(k) * step);
      }
    }
  });
  for (std::int64_t i = grouped; i < count; ++i) {
    out[i] = static_cast<T>(start + static_cast<double>(i) * step);
  }
}

/// Unsigned integers wrap around. A separate function, because inside the parallel loop the
/// compiler must assume that a write to an element may change the loop's step.
void count_up(std::int64_t* __restrict out, std::int64_t count, std::uint64_t value,
              std::uint64_t step) {
  for (std::int64_t i = 0; i < count; ++i, value += step) {
    out[i] = static_cast<std::int64_t>(value);
  }
}

void fill(const FillArgs& args, KernelContext&) {
  static_assert(std::endian::native == std::endian::little);  // the low bytes come first
  std::uint64_t bits = 0;
  visit_dtype(args.out.dtype, [&](auto tag) {
    const auto element = immediate_value<typename decltype(tag)::type>(args.value);
    std::memcpy(&bits, &element, sizeof(element));
  });
  visit_size(element_size(args.out.dtype), [&](auto tag) {
    fill_view(args.out, static_cast<typename decltype(tag)::type>(bits));
  });
}

void arange(const ArangeArgs& args, KernelContext& context) {
  if (args.dtype == kLong) {
    const auto out = static_cast<std::int64_t*>(args.out);
    const auto start = static_cast<std::uint64_t>(args.start.i);
    const auto step = static_cast<std::uint64_t>(args.step.i);
    parallel_for(0, args.count, kFillGrain, [=](std::int64_t begin, std::int64_t end) {
      count_up(out + begin, end - begin, start + static_cast<std::uint64_t>(begin) * step, step);
    });
    return;
  }
  visit_floating(args.dtype, context, [&](auto tag) {
    arange_span(static_cast<typename decltype(tag)::type*>(args.out), args.count, args.start.f,
                args.step.f);
  });
}

}  // namespace

void register_fill(kernels::KernelTable& table) {
  kernels::set<kernels::FillArgs, fill>(table);
  kernels::set<kernels::ArangeArgs, arange>(table);
}

}  // namespace tern::cpu
