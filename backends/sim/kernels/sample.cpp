#include <cmath>

#include <tern/backends/sim/kernels/kernels.h>
#include <tern/core/kernels/samplers.h>

// Element e takes its uniform numbers from subsequence e of Philox, two per block.

namespace tern::sim {
namespace {

bool supports_sample(const SampleArgs& args) {
  return args.dtype == kFloat || args.dtype == kDouble;
}

template <class T>
void sample_all(const SampleArgs& args) {
  const std::uint64_t seed = args.philox != nullptr ? args.philox[0] : args.seed;
  const std::uint64_t start = args.offset + (args.philox != nullptr ? args.philox[1] : 0);
  const T *a = static_cast<const T*>(args.a), *b = static_cast<const T*>(args.b);
  for (std::int64_t e = 0; e < args.count; ++e) {
    PhiloxUniforms next{seed, static_cast<std::uint64_t>(e), start};
    double drawn = 1;
    if (args.op == SampleOp::kPoisson) drawn = poisson_sample(a[e], next);
    if (args.op == SampleOp::kBinomial) drawn = binomial_sample(a[e], b[e], next);
    if (args.op == SampleOp::kSlope && a[e] <= 0) {
      drawn = next() * (args.high - args.low) + args.low;
    }
    static_cast<T*>(args.out)[e] = static_cast<T>(drawn);
  }
}

void sample(const SampleArgs& args, KernelContext&) {
  args.dtype == kDouble ? sample_all<double>(args) : sample_all<float>(args);
}

bool supports_multinomial(const MultinomialArgs& args) {
  return args.dtype == kFloat || args.dtype == kDouble;
}

template <class T>
void find_all(const MultinomialArgs& args) {
  for (std::int64_t r = 0; r < args.rows; ++r) {
    const T* weights = static_cast<const T*>(args.weights) + r * args.categories;
    T* sums = static_cast<T*>(args.sums) + r * args.categories;
    double sum = 0;
    for (std::int64_t j = 0; j < args.categories; ++j) {
      sum += weights[j];
      sums[j] = static_cast<T>(sum);
    }
    for (std::int64_t s = 0; s < args.samples; ++s) {
      const double sought = args.uniform[r * args.samples + s] * sum;
      std::int64_t chosen = 0;
      for (std::int64_t j = 0; j < args.categories; ++j) {
        if (weights[j] == 0) continue;
        chosen = j;
        if (sums[j] >= sought) break;
      }
      args.out[r * args.samples + s] = chosen;
    }
  }
}

void multinomial(const MultinomialArgs& args, KernelContext&) {
  args.dtype == kDouble ? find_all<double>(args) : find_all<float>(args);
}

}  // namespace

void register_sample(OracleTable& table) {
  set<SampleArgs, supports_sample, sample>(table);
  set<MultinomialArgs, supports_multinomial, multinomial>(table);
}

}  // namespace tern::sim
