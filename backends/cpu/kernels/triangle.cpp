// Instruction sets: baseline.

#include <cstring>

#include <tern/backends/cpu/kernels/support/dims.h>
#include <tern/backends/cpu/kernels/support/span.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/by_size.h>
#include <tern/core/kernels/families/triangle.h>
#include <tern/core/kernels/stride_walker.h>

namespace tern::cpu {
namespace {

using namespace kernels;

constexpr std::int64_t kTriangleGrain = 32768;  // elements that are worth a thread

template <class T>
void clear_columns(T* out, std::int64_t step, std::int64_t begin, std::int64_t end) {
  if (begin >= end) return;
  if (step == 1) {
    std::memset(out + begin, 0, static_cast<std::size_t>(end - begin) * sizeof(T));
  } else {
    for (std::int64_t c = begin; c < end; ++c) out[c * step] = 0;
  }
}

template <class T>
void triangle_typed(const TriangleArgs& args) {
  const int outer = args.ndim - 1;
  const std::int64_t columns = args.sizes[outer], rows = args.sizes[outer - 1];
  const std::int64_t in_step = args.in_strides[outer], out_step = args.out_strides[outer];
  const auto in = static_cast<const T*>(args.in);
  const auto out = static_cast<T*>(args.out);
  const bool is_dense = in_step == 1 && out_step == 1, copies = in != out;
  const auto run = [&](std::int64_t begin, std::int64_t end) {
    StrideWalker<2> at(outer, args.sizes, {args.in_strides, args.out_strides});
    at.seek(begin);
    std::int64_t row = begin % rows;
    for (std::int64_t i = begin; i < end; ++i, at.next()) {
      const TriangleRow inside = triangle_row(args, row);
      const T* const from = in + at.offsets[0];
      T* const to = out + at.offsets[1];
      clear_columns(to, out_step, 0, inside.begin);
      if (copies && is_dense) {
        copy_span(to + inside.begin, from + inside.begin,
                  (inside.end - inside.begin) * static_cast<std::int64_t>(sizeof(T)));
      } else if (copies) {
        for (std::int64_t c = inside.begin; c < inside.end; ++c)
          to[c * out_step] = from[c * in_step];
      }
      clear_columns(to, out_step, inside.end, columns);
      if (++row == rows) row = 0;
    }
  };
  parallel_for(0, product(outer, args.sizes), kTriangleGrain / columns, run);
}

void triangle(const TriangleArgs& args, KernelContext&) {
  visit_size(element_size(args.dtype),
             [&](auto tag) { triangle_typed<typename decltype(tag)::type>(args); });
}

}  // namespace

void register_triangle(kernels::KernelTable& table) {
  kernels::set<kernels::TriangleArgs, triangle>(table);
}

}  // namespace tern::cpu
