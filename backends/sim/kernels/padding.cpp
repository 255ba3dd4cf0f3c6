#include <algorithm>
#include <cstring>

#include <tern/backends/sim/kernels/kernels.h>
#include <tern/core/kernels/families/padding.h>

namespace tern::sim {
namespace {

/// Returns which element is repeated at distance `i` from the first one.
std::int64_t repeated(PadMode mode, std::int64_t i, std::int64_t size) {
  const std::int64_t last = size - 1;
  switch (mode) {
    case PadMode::kReflect:
      return i < 0 ? -i : i > last ? last - (i - last) : i;
    case PadMode::kReplicate:
      return std::clamp<std::int64_t>(i, 0, last);
    default:
      return (i + size) % size;
  }
}

bool supports(const PadArgs&) { return true; }

void pad(const PadArgs& args, KernelContext&) {
  const std::size_t size = element_size(args.dtype);
  const auto in = static_cast<const char*>(args.in);
  auto out = static_cast<char*>(args.out);
  const auto place = [&](int d, std::int64_t i) {
    return repeated(args.mode, i - args.before[d], args.sizes[d]);
  };
  for (std::int64_t o = 0; o < args.outer; ++o) {
    for (std::int64_t i = 0; i < args.out_sizes[0]; ++i) {
      for (std::int64_t j = 0; j < args.out_sizes[1]; ++j) {
        for (std::int64_t k = 0; k < args.out_sizes[2]; ++k, out += size) {
          const std::int64_t plane = o * args.sizes[0] + place(0, i);
          const std::int64_t row = plane * args.sizes[1] + place(1, j);
          const std::int64_t from = row * args.sizes[2] + place(2, k);
          std::memcpy(out, in + from * static_cast<std::int64_t>(size), size);
        }
      }
    }
  }
}

}  // namespace

void register_padding(OracleTable& table) { set<PadArgs, supports, pad>(table); }

}  // namespace tern::sim
