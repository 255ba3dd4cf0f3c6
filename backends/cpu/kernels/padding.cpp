// Instruction sets: baseline.

#include <tern/backends/cpu/kernels/support/span.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/by_size.h>
#include <tern/core/kernels/families/padding.h>

namespace tern::cpu {
namespace {

using namespace kernels;

constexpr std::int64_t kPadGrain = 32768;

template <class T>
void repeat_elements(T* to, const T* from, PadSide side, std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k) to[k] = from[side.start + k * side.step];
}

template <class T>
void pad_typed(const PadArgs& args) {
  const std::int64_t planes = args.out_sizes[0], rows = args.out_sizes[1];
  const std::int64_t out_columns = args.out_sizes[2], columns = args.sizes[2];
  const std::int64_t before = args.before[2], after = out_columns - before - columns;
  const PadSide left = pad_side(args.mode, columns, before, false);
  const PadSide right = pad_side(args.mode, columns, before, true);
  parallel_for(
      0, args.outer * planes * rows, kPadGrain / out_columns,
      [&](std::int64_t begin, std::int64_t end) {
        std::int64_t row = begin % rows, plane = begin / rows % planes;
        std::int64_t outer = begin / rows / planes;
        T* to = static_cast<T*>(args.out) + begin * out_columns;
        for (std::int64_t i = begin; i < end; ++i, to += out_columns) {
          const std::int64_t in_plane = outer * args.sizes[0] + padded_index(args, 0, plane);
          const T* const from = static_cast<const T*>(args.in) +
                                (in_plane * args.sizes[1] + padded_index(args, 1, row)) * columns;
          repeat_elements(to, from, left, before);
          copy_span(to + before, from, columns * static_cast<std::int64_t>(sizeof(T)));
          repeat_elements(to + before + columns, from, right, after);
          if (++row < rows) continue;
          row = 0;
          if (++plane == planes) plane = 0, ++outer;
        }
      });
}

void pad(const PadArgs& args, KernelContext&) {
  visit_size(element_size(args.dtype),
             [&](auto tag) { pad_typed<typename decltype(tag)::type>(args); });
}

}  // namespace

void register_padding(kernels::KernelTable& table) { kernels::set<kernels::PadArgs, pad>(table); }

}  // namespace tern::cpu
