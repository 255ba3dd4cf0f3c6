#include <algorithm>
#include <cmath>
#include <vector>

#include <tern/backends/sim/kernels/kernels.h>
#include <tern/backends/sim/kernels/number.h>

namespace tern::sim {
namespace {

/// One term of a result.
struct Term {
  std::int64_t index;
  double weight;
};

/// The cubic kernel with parameter a, which is 0 from distance 2 on.
template <class F>
F cubic(F x, F a) {
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : F(0);
}

/// Returns the terms of result o. F, the type that PyTorch uses for the dtype, decides how
/// positions round.
template <class F>
std::vector<Term> terms(const ResampleArgs& args, std::int64_t o) {
  const std::int64_t n = args.in_size, last = n - 1;
  const auto inside = [&](std::int64_t i) { return std::clamp<std::int64_t>(i, 0, last); };
  F step = args.scale > 0 ? static_cast<F>(1 / args.scale)
                          : static_cast<F>(n) / static_cast<F>(args.out_size);
  if (args.align_corners != 0) {
    step = args.out_size > 1 ? static_cast<F>(last) / static_cast<F>(args.out_size - 1) : F(0);
  }
  const F at = static_cast<F>(o), center = step * (at + F(0.5));
  const F point = args.align_corners != 0 ? step * at : center - F(0.5);
  switch (args.mode) {
    case ResampleMode::kNearest:
      return {{inside(static_cast<std::int64_t>(static_cast<float>(at * step))), 1}};
    case ResampleMode::kNearestExact:
      return {{inside(static_cast<std::int64_t>(static_cast<float>(center))), 1}};
    case ResampleMode::kLinear: {
      if (n == args.out_size) return {{o, 1}};
      const F from = std::max(point, F(0));
      const std::int64_t low = inside(static_cast<std::int64_t>(from));
      const F part = std::clamp(from - static_cast<F>(low), F(0), F(1));
      return {{low, 1 - part}, {inside(low + 1), part}};
    }
    case ResampleMode::kCubic: {
      const auto low = std::min(static_cast<std::int64_t>(std::floor(point)), last);
      const F part = std::clamp(point - static_cast<F>(low), F(0), F(1));
      std::vector<Term> result;
      for (int k = -1; k < 3; ++k) {
        result.push_back({inside(low + k), cubic(part - static_cast<F>(k), F(-0.75))});
      }
      return result;
    }
    default:
      break;
  }
  const bool is_linear = args.mode == ResampleMode::kLinearAntialias;
  const F width = std::max(step, F(1)), reach = (is_linear ? F(1) : F(2)) * width;
  const auto begin = std::max(static_cast<std::int64_t>(center - reach + F(0.5)), std::int64_t{0});
  const auto end = std::min(static_cast<std::int64_t>(center + reach + F(0.5)), n);
  std::vector<Term> result;
  double total = 0;
  for (std::int64_t i = begin; i < end; ++i) {
    const F x = (static_cast<F>(i) - center + F(0.5)) / width;
    const F weight = is_linear ? std::max(F(1) - std::abs(x), F(0)) : cubic(x, F(-0.5));
    result.push_back({i, weight});
    total += weight;
  }
  if (result.empty()) return {{inside(begin), 0}};
  for (Term& term : result) term.weight /= total == 0 ? 1 : total;
  return result;
}

template <class T>
void apply(const ResampleArgs& args) {
  using Position = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const auto in = static_cast<const T*>(args.in);
  const auto out = static_cast<T*>(args.out);
  const bool back = args.backward != 0;
  const std::int64_t results = back ? args.in_size : args.out_size;
  const std::int64_t elements = back ? args.out_size : args.in_size;
  // A sum that starts with -0 keeps the sign of a single -0.
  std::vector<double> sums(static_cast<std::size_t>(args.outer * results * args.inner),
                           back ? 0.0 : -0.0);
  for (std::int64_t o = 0; o < args.out_size; ++o) {
    for (const Term& term : terms<Position>(args, o)) {
      const std::int64_t to = back ? term.index : o, from = back ? o : term.index;
      for (std::int64_t row = 0; row < args.outer * args.inner; ++row) {
        const std::int64_t outer = row / args.inner, inner = row % args.inner;
        sums[static_cast<std::size_t>((outer * results + to) * args.inner + inner)] +=
            term.weight * double{in[(outer * elements + from) * args.inner + inner]};
      }
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) out[i] = narrow<T>(sums[i]);
}

bool supports(const ResampleArgs& args) { return is_floating_point(args.dtype); }

void resample(const ResampleArgs& args, KernelContext&) {
  visit_floating_dtype(args.dtype, [&](auto tag) { apply<typename decltype(tag)::type>(args); });
}

}  // namespace

void register_resampling(OracleTable& table) { set<ResampleArgs, supports, resample>(table); }

}  // namespace tern::sim
