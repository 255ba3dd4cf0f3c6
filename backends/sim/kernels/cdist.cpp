#include <cmath>

#include <tern/backends/sim/kernels/kernels.h>

namespace tern::sim {
namespace {

template <class T>
struct Distances {
  const CdistArgs& args;

  double difference(std::int64_t b, std::int64_t i, std::int64_t j, std::int64_t c) const {
    const auto x = static_cast<const T*>(args.x), y = static_cast<const T*>(args.y);
    return static_cast<double>(x[(b * args.rows + i) * args.columns + c]) -
           static_cast<double>(y[(b * args.others + j) * args.columns + c]);
  }

  double distance(std::int64_t b, std::int64_t i, std::int64_t j) const {
    double result = 0;
    for (std::int64_t c = 0; c < args.columns; ++c) {
      const double d = std::abs(difference(b, i, j, c));
      if (std::isinf(args.p)) {
        result = d > result || std::isnan(d) ? d : result;
      } else {
        result += args.p == 0 ? (d != 0 ? 1 : 0) : std::pow(d, args.p);
      }
    }
    return args.p == 0 || std::isinf(args.p) ? result : std::pow(result, 1 / args.p);
  }

  // The derivative of a distance by one element of x.
  double slope(double d, double distance) const {
    const double sign = d > 0 ? 1 : d < 0 ? -1 : 0;
    if (args.p == 0 || distance == 0) return 0;
    if (std::isnan(d)) return d;
    if (args.p == 1) return sign;
    if (args.p == 2) return d / distance;
    if (std::isinf(args.p)) return sign * (std::abs(d) == distance ? 1 : 0);
    return sign == 0 ? 0 : sign * std::pow(std::abs(d) / distance, args.p - 1);
  }

  // The index of the distance between rows i and j.
  std::int64_t index(std::int64_t b, std::int64_t i, std::int64_t j) const {
    if (!is_pairs(args.op)) return (b * args.rows + i) * args.others + j;
    return pair_index(args.rows, std::min(i, j), std::max(i, j));
  }

  void run(std::int64_t b, std::int64_t i) const {
    const auto out = static_cast<T*>(args.out);
    const auto gradient = static_cast<const T*>(args.gradient);
    const auto distances = static_cast<const T*>(args.distances);
    if (!is_backward(args.op)) {
      for (std::int64_t j = is_pairs(args.op) ? i + 1 : 0; j < args.others; ++j) {
        out[index(b, i, j)] = static_cast<T>(distance(b, i, j));
      }
      return;
    }
    for (std::int64_t c = 0; c < args.columns; ++c) {
      double sum = 0;
      for (std::int64_t j = 0; j < args.others; ++j) {
        if (is_pairs(args.op) && i == j) continue;
        const std::int64_t at = index(b, i, j);
        sum += static_cast<double>(gradient[at]) *
               slope(static_cast<T>(difference(b, i, j, c)), static_cast<double>(distances[at]));
      }
      out[(b * args.rows + i) * args.columns + c] = static_cast<T>(sum);
    }
  }
};

template <class T>
void apply(const CdistArgs& args) {
  for (std::int64_t b = 0; b < args.batch; ++b) {
    for (std::int64_t i = 0; i < args.rows; ++i) Distances<T>{args}.run(b, i);
  }
}

bool supports(const CdistArgs& args) { return args.dtype == kFloat || args.dtype == kDouble; }

void cdist(const CdistArgs& args, KernelContext&) {
  args.dtype == kDouble ? apply<double>(args) : apply<float>(args);
}

}  // namespace

void register_cdist(OracleTable& table) { set<CdistArgs, supports, cdist>(table); }

}  // namespace tern::sim
