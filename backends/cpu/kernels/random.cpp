// Compiled for size.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <tern/backends/cpu/kernels/support/box_muller.h>
#include <tern/backends/cpu/kernels/support/strided.h>
#include <tern/core/kernels/families/random.h>
#include <tern/core/tensor/mt19937.h>

// Draws PyTorch's numbers, word for word. The words of a chunk are generated first and then
// transformed, both in loops that vectorise.

namespace tern::cpu {
namespace {

using kernels::RandomArgs;
using kernels::RandomOp;

constexpr std::int64_t kChunkWords = 1024;  // 4 KiB: stays in the first-level cache
constexpr std::int64_t kBlock = 16;  // normal numbers come in blocks: 8 cosines, then 8 sines

// Uniform in [0, 1) with 24 and 53 random bits.
inline float uniform24(std::uint32_t word) {
  return static_cast<float>(static_cast<std::int32_t>(word & 0xffffffu)) * 0x1p-24f;
}
inline double uniform53(std::uint32_t high, std::uint32_t low) {
  return static_cast<double>(static_cast<std::int32_t>(high & 0x1fffffu)) * 0x1p-21 +
         static_cast<double>(low) * 0x1p-53;
}

// out[i] = formula(word) or formula(high word, low word).
template <int kWords, class T, class Formula>
void generate(Mt19937& generator, T* __restrict out, std::int64_t count, Formula formula) {
  alignas(64) std::uint32_t words[kChunkWords];
  while (count > 0) {
    const std::int64_t n = std::min(count, kChunkWords / kWords);
    generator.fill(words, n * kWords);
    for (std::int64_t i = 0; i < n; ++i) {
      if constexpr (kWords == 1) {
        out[i] = formula(words[i]);
      } else {
        out[i] = formula(words[2 * i], words[2 * i + 1]);
      }
    }
    out += n;
    count -= n;
  }
}

// Draws the uniform numbers that `normal_blocks` transforms.
void standard_uniform(Mt19937& generator, float* out, std::int64_t count) {
  generate<1>(generator, out, count, uniform24);
}
void standard_uniform(Mt19937& generator, double* out, std::int64_t count) {
  generate<2>(generator, out, count, uniform53);
}

template <class T>
void uniform(Mt19937& generator, T* out, std::int64_t count, T from, T to) {
  const T range = to - from;
  const auto scaled = [=](T u) {
    const T value = std::fma(u, range, from);
    return value == to ? from : value;  // rounding may reach the excluded bound
  };
  if constexpr (std::is_same_v<T, float>) {
    generate<1>(generator, out, count, [=](std::uint32_t word) { return scaled(uniform24(word)); });
  } else {
    generate<2>(generator, out, count, [=](std::uint32_t high, std::uint32_t low) {
      return scaled(uniform53(high, low));
    });
  }
}

// Turns the uniform numbers of whole blocks into normal numbers, in place. The halves of the blocks
// are gathered first, so that the expensive loop runs over whole vectors of any width.
template <class T>
void normal_blocks(T* __restrict data, std::int64_t blocks, T mean, T std) {
  constexpr std::int64_t kHalfBlock = kBlock / 2, kMost = kChunkWords / 2;
  alignas(64) T first[kMost], second[kMost];
  for (std::int64_t b = 0; b < blocks; ++b) {
    std::copy_n(data + b * kBlock, kHalfBlock, first + b * kHalfBlock);
    std::copy_n(data + b * kBlock + kHalfBlock, kHalfBlock, second + b * kHalfBlock);
  }
  for (std::int64_t i = 0; i < blocks * kHalfBlock; ++i) {
    // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): the loop above writes them
    const NormalPair<T> pair = box_muller(first[i], second[i]);
    first[i] = std::fma(pair.cos, std, mean);
    second[i] = std::fma(pair.sin, std, mean);
  }
  for (std::int64_t b = 0; b < blocks; ++b) {
    std::copy_n(first + b * kHalfBlock, kHalfBlock, data + b * kBlock);
    std::copy_n(second + b * kHalfBlock, kHalfBlock, data + b * kBlock + kHalfBlock);
  }
}

// Draws uniform numbers and transforms whole blocks. If elements are left over, their uniform
// numbers are dropped and the last 16 elements are drawn again.
template <class T>
void normal(Mt19937& generator, T* out, std::int64_t count, T mean, T std) {
  const std::int64_t whole = count / kBlock * kBlock;
  for (std::int64_t done = 0; done < whole; done += kChunkWords) {
    const std::int64_t n = std::min(whole - done, kChunkWords);
    standard_uniform(generator, out + done, n);
    normal_blocks(out + done, n / kBlock, mean, std);
  }
  if (whole == count) return;
  standard_uniform(generator, out + whole, count - whole);
  standard_uniform(generator, out + count - kBlock, kBlock);
  normal_blocks(out + count - kBlock, 1, mean, std);
}

template <class T>
void normal_serial(Mt19937& generator, T* out, std::int64_t count, double mean, double std) {
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<T>(std::fma(generator.next_normal(), std, mean));
  }
}

// u < p with u = k / 2^53 means k < ceil(p * 2^53), a comparison of integers.
template <class T>
void bernoulli(Mt19937& generator, T* out, std::int64_t count, double p) {
  const std::int64_t threshold = static_cast<std::int64_t>(std::ceil(p * 0x1p53));
  generate<2>(generator, out, count, [=](std::uint32_t high, std::uint32_t low) {
    const std::int64_t k = (static_cast<std::int64_t>(high & 0x1fffffu) << 32) | low;
    return static_cast<T>(k < threshold);
  });
}

// Stores low + word mod range, from one word or two; range 0 takes all 64 bits.
template <class T>
void randint(const RandomArgs& args, Mt19937& generator, T* out) {
  const std::int64_t count = args.count;
  const auto low = static_cast<std::uint64_t>(args.low);
  const std::uint64_t range = randint_range(args);
  const auto shifted = [=](std::uint64_t remainder) {
    return static_cast<T>(static_cast<std::int64_t>(low + remainder));
  };
  if (range == 0) {
    generate<2>(generator, out, count, [=](std::uint32_t high, std::uint32_t low_word) {
      return static_cast<T>(static_cast<std::int64_t>((std::uint64_t{high} << 32) | low_word));
    });
  } else if (range == 1) {
    generate<1>(generator, out, count, [=](std::uint32_t) { return shifted(0); });
  } else if (!randint_takes_two_words(args)) {
    // The quotient is exact: the reciprocal is never too small and at most 2^-51 too large
    // (relative), while word / range is at least 1 / word (relative) below the next integer.
    const double reciprocal =
        std::nextafter(1.0 / static_cast<double>(range), std::numeric_limits<double>::infinity());
    const std::uint32_t divisor = static_cast<std::uint32_t>(range);
    generate<1>(generator, out, count, [=](std::uint32_t word) {
      const std::int32_t quotient = static_cast<std::int32_t>(word * reciprocal);
      return shifted(word - static_cast<std::uint32_t>(quotient) * divisor);
    });
  } else {
    generate<2>(generator, out, count, [=](std::uint32_t high, std::uint32_t low_word) {
      return shifted(((std::uint64_t{high} << 32) | low_word) % range);
    });
  }
}

// Maps one uniform number of 53 bits to a number of a distribution, as PyTorch does: in double,
// with the functions of the C library.
template <class T, class Formula>
void transform(Mt19937& generator, T* out, std::int64_t count, Formula formula) {
  generate<2>(generator, out, count, [=](std::uint32_t high, std::uint32_t low) {
    return static_cast<T>(formula(uniform53(high, low)));
  });
}

// Returns the number of trials as an integer if T is one. Only a vanishing p gives numbers beyond
// int64 and infinities, -inf among them because log(1 - p) is 0.
template <class T>
auto trials(double count) {
  if constexpr (std::is_floating_point_v<T>) {
    return count;
  } else {
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    return std::abs(count) < 0x1p63 ? static_cast<std::int64_t>(count) : kMost;
  }
}

template <class T>
void run(const RandomArgs& args, kernels::KernelContext& context) {
  Mt19937& generator = *static_cast<Mt19937*>(args.generator);
  T* out = static_cast<T*>(args.out);
  switch (args.op) {
    case RandomOp::kBernoulli:
      return bernoulli(generator, out, args.count, args.a);
    case RandomOp::kRandint:
      return randint(args, generator, out);
    case RandomOp::kGeometric: {
      const double log_failure = std::log(1 - args.a);
      return transform(generator, out, args.count,
                       [=](double u) { return trials<T>(std::ceil(std::log(u) / log_failure)); });
    }
    default:
      break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (args.op == RandomOp::kExponential) {
      const double scale = -1 / args.a;
      return transform(generator, out, args.count,
                       [=](double u) { return scale * std::log1p(-u); });
    }
    if (args.op == RandomOp::kCauchy) {
      constexpr double kPi = 3.141592653589793;
      return transform(generator, out, args.count, [a = args.a, b = args.b](double u) {
        return std::fma(b, std::tan(kPi * (u - 0.5)), a);
      });
    }
    if (args.op == RandomOp::kLogNormal) {
      for (std::int64_t i = 0; i < args.count; ++i) {
        out[i] = static_cast<T>(std::exp(std::fma(generator.next_normal(), args.b, args.a)));
      }
      return;
    }
    const T a = static_cast<T>(args.a), b = static_cast<T>(args.b);
    if (args.op == RandomOp::kUniform) return uniform(generator, out, args.count, a, b);
    if (args.contiguous && args.count >= kBlock) return normal(generator, out, args.count, a, b);
    return normal_serial(generator, out, args.count, args.a, args.b);
  }
  context.status = kernels::StatusCode::kUnsupportedDtype;
}

// Rounding may reach the excluded bound; -0 reaches 0.
template <class T>
void replace_bound(const RandomArgs& args, void* data, std::int64_t count) {
  const T from(args.a), to(args.b);
  T* const out = static_cast<T*>(data);
  const float bound = to;
  for (std::int64_t i = 0; i < count; ++i) {
    out[i].bits = static_cast<float>(out[i]) == bound ? from.bits : out[i].bits;
  }
}

// Draws numbers of the math dtype chunk by chunk and rounds them.
void narrow_random(const RandomArgs& args, kernels::KernelContext& context) {
  constexpr std::int64_t kChunk = 1024;
  alignas(64) char drawn[kChunk * 4];
  const auto size = static_cast<std::int64_t>(element_size(args.dtype));
  const Loop narrow = narrowing_loop(args.dtype);
  RandomArgs part = args;
  part.dtype = kernels::math_dtype(args.dtype);
  part.out = drawn;
  const auto draw = [&](std::int64_t at, std::int64_t count) {
    part.count = count;
    kernels::visit_math_dtype(part.dtype,
                              [&](auto tag) { run<typename decltype(tag)::type>(part, context); });
    const void* const from = drawn;
    void* const out = static_cast<char*>(args.out) + at * size;
    narrow(out, &from, count, nullptr);
    if (args.op == RandomOp::kUniform) {
      args.dtype == kHalf ? replace_bound<Half>(args, out, count)
                          : replace_bound<BFloat16>(args, out, count);
    }
  };
  const bool by_blocks =
      args.op == RandomOp::kNormal && args.contiguous != 0 && args.count >= kBlock;
  if (!by_blocks) part.contiguous = 0;
  const std::int64_t whole = by_blocks ? args.count / kBlock * kBlock : args.count;
  for (std::int64_t at = 0; at < whole; at += kChunk) draw(at, std::min(kChunk, whole - at));
  // Unlike those of float32, the uniform numbers of the rest are not drawn twice.
  if (whole < args.count) draw(args.count - kBlock, kBlock);
}

void random(const RandomArgs& args, kernels::KernelContext& context) {
  if (kernels::is_narrow(args.dtype)) return narrow_random(args, context);
  kernels::visit_math_dtype(args.dtype,
                            [&](auto tag) { run<typename decltype(tag)::type>(args, context); });
}

}  // namespace

void register_random(kernels::KernelTable& table) {
  kernels::set<kernels::RandomArgs, random>(table);
}

}  // namespace tern::cpu
