#include <curand_kernel.h>

#include <tern/backends/cuda/device/support/elements.h>
#include <tern/backends/cuda/device/support/launch.h>
#include <tern/backends/cuda/device/support/pack.h>
#include <tern/core/kernels/families/random.h>
#include <tern/core/kernels/math/math.h>
#include <tern/core/kernels/philox.h>

// A thread draws four elements from one subsequence of cuRAND's Philox4x32-10. Elements that need
// 64 bits take two Philox blocks, each for two elements.

namespace tern::cuda::device {
namespace {

constexpr int kDrawsPerThread = 4;

// The random words of four elements: one 32-bit word per element, or two if requested.
struct Words {
  std::uint32_t word[2 * kDrawsPerThread];
};

__device__ Words draw(const RandomArgs& args, std::int64_t thread, bool wide) {
  const bool in_graph = args.philox != nullptr;
  const std::uint64_t seed = in_graph ? args.philox[0] : args.seed;
  const std::uint64_t offset = args.offset + (in_graph ? args.philox[1] : 0);
  curandStatePhilox4_32_10_t state;
  curand_init(seed, static_cast<unsigned long long>(thread), offset, &state);
  Words words;
  const uint4 first = curand4(&state);
  words.word[0] = first.x;
  words.word[1] = first.y;
  words.word[2] = first.z;
  words.word[3] = first.w;
  if (wide) {
    const uint4 second = curand4(&state);
    words.word[4] = second.x;
    words.word[5] = second.y;
    words.word[6] = second.z;
    words.word[7] = second.w;
  }
  return words;
}

// Returns a uniform number in (0, 1].
template <class T>
__device__ T positive_uniform(const Words& words, int k) {
  if constexpr (sizeof(T) == 8) {
    return philox_uniform(words.word[2 * k], words.word[2 * k + 1]);
  } else {
    return philox_uniform(words.word[k]);
  }
}

// Maps cuRAND's uniforms in (0, 1] to [from, to). Rounding may reach the excluded bound.
template <class T>
__device__ T uniform(const RandomArgs& args, const Words& words, int k) {
  const T draw = positive_uniform<T>(words, k);
  const T from = static_cast<T>(args.a), to = static_cast<T>(args.b);
  return math::fma(draw == T(1) ? T(0) : draw, to - from, from);
}

template <class T>
__device__ T normal(const RandomArgs& args, const Words& words, int k) {
  NormalPair<T> pair;
  if constexpr (sizeof(T) == 8) {
    const std::uint32_t* const w = words.word + k / 2 * 4;
    pair = philox_normal_double({{w[0], w[1], w[2], w[3]}});
  } else {
    pair = philox_normal(words.word[k / 2 * 2], words.word[k / 2 * 2 + 1]);
  }
  return math::fma(k % 2 == 0 ? pair.first : pair.second, static_cast<T>(args.b),
                   static_cast<T>(args.a));
}

template <class T>
constexpr T kEpsilon = sizeof(T) == 8 ? T(0x1p-52) : T(0x1p-23);

// The numbers stay finite, and those of the exponential distribution positive, as PyTorch's do.
template <class T>
__device__ T mapped(const RandomArgs& args, const Words& words, int k) {
  const T u = positive_uniform<T>(words, k);
  const T below_one = 1 - kEpsilon<T> / 2;
  const T a = static_cast<T>(args.a), b = static_cast<T>(args.b);
  if (args.op == RandomOp::kExponential) return -math::log(u < below_one ? u : below_one) / a;
  T inside = u < below_one ? u : below_one;
  if (inside < kEpsilon<T>) inside = kEpsilon<T>;
  return a + b * static_cast<T>(::tan(3.141592653589793 * (static_cast<double>(inside) - 0.5)));
}

// Returns the number of trials of the geometric distribution, at least 1.
template <class T>
__device__ double trials(const RandomArgs& args, const Words& words, int k) {
  const double u = positive_uniform<T>(words, k);
  const double count = ::ceil(::log(u) / ::log1p(-args.a));
  return count > 1 ? count : 1;
}

__device__ std::int64_t integer(const RandomArgs& args, const Words& words, int k, bool wide,
                                std::uint64_t range) {
  std::uint64_t draw = words.word[k];
  if (wide) draw = std::uint64_t{words.word[2 * k]} << 32 | words.word[2 * k + 1];
  if (range != 0) draw %= range;
  return static_cast<std::int64_t>(draw + static_cast<std::uint64_t>(args.low));
}

template <class T>
__device__ T element(const RandomArgs& args, const Words& words, int k, bool wide,
                     std::uint64_t range) {
  if constexpr (std::is_floating_point_v<T>) {
    if (args.op == RandomOp::kUniform) return uniform<T>(args, words, k);
    if (args.op == RandomOp::kNormal) return normal<T>(args, words, k);
    if (args.op == RandomOp::kLogNormal) return math::exp(normal<T>(args, words, k));
    if (args.op == RandomOp::kExponential || args.op == RandomOp::kCauchy) {
      return mapped<T>(args, words, k);
    }
    if (args.op == RandomOp::kGeometric) return static_cast<T>(trials<T>(args, words, k));
  } else if (args.op == RandomOp::kGeometric) {
    const double count = trials<float>(args, words, k);
    return static_cast<T>(count < 0x1p62 ? count : 0x1p62);
  }
  if (args.op == RandomOp::kBernoulli) {
    return static_cast<T>(philox_uniform(words.word[k]) <= args.a);
  }
  return static_cast<T>(integer(args, words, k, wide, range));
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    random_kernel(RandomArgs args, bool wide, std::uint64_t range) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  const std::int64_t first = thread * kDrawsPerThread;
  if (first >= args.count) return;
  const Words words = draw(args, thread, wide);
  T elements[kDrawsPerThread];
#pragma unroll
  for (int k = 0; k < kDrawsPerThread; ++k) elements[k] = element<T>(args, words, k, wide, range);
  visit_stored<T>(args.dtype, [&](auto tag) {
    using Stored = typename decltype(tag)::type;
    Pack<Stored, kDrawsPerThread> pack;
#pragma unroll
    for (int k = 0; k < kDrawsPerThread; ++k) {
      pack.values[k] = narrowed<Stored>(elements[k]);
      if constexpr (std::is_floating_point_v<T>) {
        const auto to = narrowed<Stored>(static_cast<T>(args.b));
        if (args.op == RandomOp::kUniform && pack.values[k] == to) {
          pack.values[k] = narrowed<Stored>(static_cast<T>(args.a));
        }
      }
    }
    write_pack(static_cast<Stored*>(args.out) + first, pack, args.count - first);
  });
}

void random(const RandomArgs& args, KernelContext& context) {
  if (draws_real_numbers(args.op) && !is_floating_point(args.dtype)) {
    context.status = StatusCode::kUnsupportedDtype;
    return;
  }
  const std::uint64_t range = randint_range(args);
  const bool wide = args.op == RandomOp::kRandint
                        ? randint_takes_two_words(args)
                        : args.dtype == kDouble && args.op != RandomOp::kBernoulli;
  const auto run = [&](auto tag) {
    launch(context, random_kernel<typename decltype(tag)::type>,
           blocks_for(args.count, kDrawsPerThread * std::int64_t{kThreads}), kThreads, args, wide,
           range);
  };
  if (!is_floating_point(args.dtype)) return run(TypeTag<std::int64_t>());
  args.dtype == kDouble ? run(TypeTag<double>()) : run(TypeTag<float>());
}

}  // namespace

void register_random(KernelTable& table) { set<RandomArgs, random>(table); }

}  // namespace tern::cuda::device
