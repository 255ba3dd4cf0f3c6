#include <cstring>

#include <tern/backends/sim/kernels/kernels.h>
#include <tern/core/kernels/families/triangle.h>
#include <tern/core/kernels/stride_walker.h>

namespace tern::sim {
namespace {

bool supports(const TriangleArgs&) { return true; }

void triangle(const TriangleArgs& args, KernelContext&) {
  const auto size = static_cast<std::int64_t>(element_size(args.dtype));
  const std::int64_t rows = args.sizes[args.ndim - 2], columns = args.sizes[args.ndim - 1];
  std::int64_t i = 0;
  for (CountedWalker<2> at(args.ndim, args.sizes, {args.in_strides, args.out_strides}); !at.done();
       at.next(), ++i) {
    const std::int64_t row = i / columns % rows, column = i % columns;
    const bool is_kept =
        args.upper != 0 ? column >= row + args.diagonal : column <= row + args.diagonal;
    char* const to = static_cast<char*>(args.out) + at.offset(1) * size;
    if (is_kept) {
      std::memmove(to, static_cast<const char*>(args.in) + at.offset(0) * size,
                   static_cast<std::size_t>(size));
    } else {
      std::memset(to, 0, static_cast<std::size_t>(size));
    }
  }
}

}  // namespace

void register_triangle(OracleTable& table) { set<TriangleArgs, supports, triangle>(table); }

}  // namespace tern::sim
