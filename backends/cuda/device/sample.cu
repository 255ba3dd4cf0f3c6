#include <cstdint>

#include <tern/backends/cuda/device/support/launch.h>
#include <tern/backends/cuda/device/support/shared_array.h>
#include <tern/core/kernels/families/sample.h>
#include <tern/core/kernels/math/math_dtype.h>
#include <tern/core/kernels/samplers.h>

namespace tern::cuda::device {
namespace {

/// One thread per element. An element takes its numbers from a Philox subsequence of its own.
template <class T>
__global__ void __launch_bounds__(kThreads) sample_kernel(SampleArgs args) {
  const std::int64_t e = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (e >= args.count) return;
  const bool in_graph = args.philox != nullptr;
  PhiloxUniforms next{in_graph ? args.philox[0] : args.seed, static_cast<std::uint64_t>(e),
                      args.offset + (in_graph ? args.philox[1] : 0)};
  const T a = static_cast<const T*>(args.a)[e];
  double drawn = 1;
  if (args.op == SampleOp::kPoisson) {
    drawn = poisson_sample(a, next);
  } else if (args.op == SampleOp::kBinomial) {
    drawn = binomial_sample(a, static_cast<const T*>(args.b)[e], next);
  } else if (a <= 0) {
    drawn = next() * (args.high - args.low) + args.low;
  }
  static_cast<T*>(args.out)[e] = static_cast<T>(drawn);
}

void sample(const SampleArgs& args, KernelContext& context) {
  visit_floating(args.dtype, context, [&](auto tag) {
    launch(context, sample_kernel<typename decltype(tag)::type>, blocks_for(args.count, kThreads),
           kThreads, args);
  });
}

/// One block per row. Each thread sums a part of the row; then the block searches.
template <class T>
__global__ void __launch_bounds__(kThreads) multinomial_kernel(MultinomialArgs args) {
  // For each thread the sum of all parts before its own.
  __shared__ SharedArray<double, kThreads + 1> before;
  const std::int64_t part = (args.categories + kThreads - 1) / kThreads;
  const std::int64_t begin = threadIdx.x * part;
  const std::int64_t end = begin + part < args.categories ? begin + part : args.categories;
  for (std::int64_t row = blockIdx.x; row < args.rows; row += gridDim.x) {
    const T* const weights = static_cast<const T*>(args.weights) + row * args.categories;
    T* const sums = static_cast<T*>(args.sums) + row * args.categories;
    double sum = 0;
    for (std::int64_t j = begin; j < end; ++j) sum += weights[j];
    before[threadIdx.x + 1] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
      before[0] = 0;
      for (unsigned k = 0; k < kThreads; ++k) before[k + 1] += before[k];
    }
    __syncthreads();
    sum = before[threadIdx.x];
    const double total = before[kThreads];
    for (std::int64_t j = begin; j < end; ++j) sums[j] = static_cast<T>(sum += weights[j]);
    __syncthreads();
    for (std::int64_t s = threadIdx.x; s < args.samples; s += kThreads) {
      const double sought = args.uniform[row * args.samples + s] * total;
      std::int64_t low = 0, high = args.categories - 1;
      while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (sums[middle] < sought) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      args.out[row * args.samples + s] = category_with_weight(weights, args.categories, low);
    }
    __syncthreads();
  }
}

void multinomial(const MultinomialArgs& args, KernelContext& context) {
  visit_floating(args.dtype, context, [&](auto tag) {
    launch(context, multinomial_kernel<typename decltype(tag)::type>, blocks_for(args.rows, 1),
           kThreads, args);
  });
}

}  // namespace

void register_sample(KernelTable& table) {
  set<SampleArgs, sample>(table);
  set<MultinomialArgs, multinomial>(table);
}

}  // namespace tern::cuda::device
