#include <cstdint>
#include <cstring>

#include <tern/backends/sim/kernels/kernels.h>
#include <tern/core/kernels/families/mask.h>

namespace tern::sim {
namespace {

void write_coordinates(const MaskArgs& args, std::int64_t element, std::int64_t* out) {
  for (std::int32_t d = args.ndim - 1; d >= 0; --d) {
    out[d * args.column_stride] = element % args.sizes[d];
    element /= args.sizes[d];
  }
}

bool supports(const MaskArgs&) { return true; }

void mask(const MaskArgs& args, KernelContext&) {
  const std::size_t bytes = element_size(args.dtype);
  const auto at = [bytes](auto* data, std::int64_t i) {
    return data + static_cast<std::size_t>(i) * bytes;
  };
  const auto in = static_cast<const char*>(args.in);
  const auto out = static_cast<char*>(args.out);
  if (args.op == MaskOp::kCount) {
    std::memset(args.counts, 0,
                static_cast<std::size_t>(mask_blocks(args.size)) * sizeof(std::int64_t));
  }
  std::int64_t before = 0;
  for (std::int64_t i = 0; i < args.size; ++i) {
    if (!args.mask[i]) continue;
    if (args.op == MaskOp::kCount) {
      ++args.counts[i / kMaskBlock];
    } else if (args.op == MaskOp::kIndices) {
      write_coordinates(args, i, static_cast<std::int64_t*>(args.out) + before * args.row_stride);
    } else if (args.op == MaskOp::kSelect) {
      std::memcpy(at(out, before), at(in, i), bytes);
    } else {
      std::memcpy(at(out, i), at(in, before), bytes);
    }
    ++before;
  }
}

}  // namespace

void register_mask(OracleTable& table) { set<MaskArgs, supports, mask>(table); }

}  // namespace tern::sim
