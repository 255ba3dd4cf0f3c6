#include <algorithm>
#include <limits>
#include <vector>

#include <tern/backends/sim/kernels/kernels.h>
#include <tern/backends/sim/kernels/number.h>
#include <tern/core/kernels/math/is_nan.h>

namespace tern::sim {
namespace {

/// Returns the positions of one dimension that belong to window `o`, also those in the padding.
std::vector<std::int64_t> window(const PoolingArgs& args, std::int64_t plane, int d,
                                 std::int64_t o) {
  const std::int64_t size = args.sizes[d], outs = args.out_sizes[d];
  std::vector<std::int64_t> positions;
  switch (args.windows) {
    case PoolingWindows::kAdaptive:
      for (std::int64_t i = 0; i < size; ++i) {
        if ((i + 1) * outs > o * size && i * outs < (o + 1) * size) positions.push_back(i);
      }
      return positions;
    case PoolingWindows::kTable: {
      std::int64_t at = plane * (args.out_sizes[0] + args.out_sizes[1] + args.out_sizes[2]) + o;
      if (d > 0) at += args.out_sizes[0];
      if (d > 1) at += args.out_sizes[1];
      for (std::int64_t k = 0; k < args.kernel[d]; ++k) positions.push_back(args.starts[at] + k);
      return positions;
    }
    default:
      for (std::int64_t k = 0; k < args.kernel[d]; ++k) {
        positions.push_back(o * args.stride[d] - args.padding[d] + k * args.dilation[d]);
      }
      return positions;
  }
}

/// Calls visitor(position in the plane) for each element of a window, in their order.
template <class Visitor>
void visit_window(const PoolingArgs& args, std::int64_t plane, const std::int64_t (&o)[3],
                  const Visitor& visitor) {
  const auto inside = [&](int d, std::int64_t i) { return i >= 0 && i < args.sizes[d]; };
  for (const std::int64_t z : window(args, plane, 0, o[0])) {
    for (const std::int64_t y : window(args, plane, 1, o[1])) {
      for (const std::int64_t x : window(args, plane, 2, o[2])) {
        if (!inside(0, z) || !inside(1, y) || !inside(2, x)) continue;
        visitor((z * args.sizes[1] + y) * args.sizes[2] + x);
      }
    }
  }
}

/// Returns the divisor of the sum of a window.
std::int64_t divisor_of(const PoolingArgs& args, const std::int64_t (&o)[3]) {
  if (args.divisor != 0) return args.divisor;
  std::int64_t product = 1;
  for (int d = 0; d < 3; ++d) {
    const bool pads = args.windows == PoolingWindows::kRegular && args.count_include_pad != 0;
    const std::int64_t padding = pads ? args.padding[d] : 0;
    std::int64_t count = 0;
    for (const std::int64_t i : window(args, 0, d, o[d])) {
      if (i >= -padding && i < args.sizes[d] + padding) ++count;
    }
    product *= count;
  }
  return product;
}

template <class T>
void apply(const PoolingArgs& args) {
  const auto in = static_cast<const T*>(args.in);
  const auto out = static_cast<T*>(args.out);
  const std::int64_t size = args.sizes[0] * args.sizes[1] * args.sizes[2];
  const bool back = args.op == PoolingOp::kAverageBackward;
  std::vector<Wide<T>> sums(static_cast<std::size_t>(back ? args.planes * size : 0));
  std::int64_t at = 0, o[3];
  for (std::int64_t plane = 0; plane < args.planes; ++plane) {
    for (o[0] = 0; o[0] < args.out_sizes[0]; ++o[0]) {
      for (o[1] = 0; o[1] < args.out_sizes[1]; ++o[1]) {
        for (o[2] = 0; o[2] < args.out_sizes[2]; ++o[2], ++at) {
          if (args.op == PoolingOp::kMax) {
            Wide<T> best = 0;
            std::int64_t chosen = -1;
            visit_window(args, plane, o, [&](std::int64_t i) {
              const Wide<T> x = in[plane * size + i];
              if (chosen < 0 || x > best || is_nan(x)) best = x, chosen = i;
            });
            out[at] = narrow<T>(best);
            if (args.indices != nullptr) args.indices[at] = chosen;
          } else if (back) {
            const Wide<T> share = Wide<T>{in[at]} / static_cast<Wide<T>>(divisor_of(args, o));
            visit_window(args, plane, o, [&](std::int64_t i) {
              sums[static_cast<std::size_t>(plane * size + i)] += share;
            });
          } else {
            Wide<T> sum = 0;
            visit_window(args, plane, o,
                         [&](std::int64_t i) { sum = plus(sum, Wide<T>{in[plane * size + i]}); });
            out[at] = narrow<T>(sum / static_cast<Wide<T>>(divisor_of(args, o)));
          }
        }
      }
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) out[i] = narrow<T>(sums[i]);
}

bool supports(const PoolingArgs& args) {
  if (args.op == PoolingOp::kMax) return args.dtype != kBool;
  const bool is_long = args.op == PoolingOp::kAverage && args.dtype == kLong;
  return is_long || is_floating_point(args.dtype);
}

void pooling(const PoolingArgs& args, KernelContext&) {
  visit_dtype(args.dtype, [&](auto tag) { apply<typename decltype(tag)::type>(args); });
}

}  // namespace

void register_pooling(OracleTable& table) { set<PoolingArgs, supports, pooling>(table); }

}  // namespace tern::sim
