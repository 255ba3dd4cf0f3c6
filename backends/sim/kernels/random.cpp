#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <tern/backends/sim/kernels/kernels.h>
#include <tern/core/kernels/philox.h>

// Element e takes its numbers from subsequence e / 4 of Philox, word e % 4, so they depend only on
// seed, offset and e. A draw of 64 bits takes two words: of each four elements, 0 and 1 use the
// block at `offset`, 2 and 3 the next block.

namespace tern::sim {
namespace {

std::uint32_t word32(const RandomArgs& args, std::int64_t element) {
  const auto e = static_cast<std::uint64_t>(element);
  return philox(args.seed, e / 4, args.offset).word[e % 4];
}

// Returns the Philox block that holds the 64-bit number of an element (two per block).
PhiloxWords words64(const RandomArgs& args, std::int64_t element) {
  const auto e = static_cast<std::uint64_t>(element);
  return philox(args.seed, e / 4, args.offset + 4 * (e % 4 / 2));
}

// cuRAND draws from (0, 1]; users expect [0, 1).
template <class T>
T half_open(T uniform) {
  return uniform == T(1) ? T(0) : uniform;
}

// Returns a uniform number in (0, 1].
template <class T>
T positive_uniform(const RandomArgs& args, std::int64_t e) {
  if constexpr (sizeof(T) == 8) {
    const PhiloxWords words = words64(args, e);
    return philox_uniform(words.word[e % 2 * 2], words.word[e % 2 * 2 + 1]);
  } else {
    return philox_uniform(word32(args, e));
  }
}

template <class T>
T uniform(const RandomArgs& args, std::int64_t e) {
  const T draw = positive_uniform<T>(args, e);
  const T from = static_cast<T>(args.a), to = static_cast<T>(args.b);
  const T value = std::fma(half_open(draw), to - from, from);
  return value == to ? from : value;
}

template <class T>
T normal(const RandomArgs& args, std::int64_t e) {
  NormalPair<T> pair;
  if constexpr (sizeof(T) == 8) {
    pair = philox_normal_double(words64(args, e));
  } else {
    pair = philox_normal(word32(args, e / 2 * 2), word32(args, e / 2 * 2 + 1));
  }
  return std::fma(e % 2 == 0 ? pair.first : pair.second, static_cast<T>(args.b),
                  static_cast<T>(args.a));
}

// Returns a number of the distributions that map a uniform number.
template <class T>
double mapped(const RandomArgs& args, std::int64_t e) {
  const double u = positive_uniform<T>(args, e);
  const double below_one = 1 - std::numeric_limits<T>::epsilon() / 2;
  if (args.op == RandomOp::kExponential) return -std::log(std::min(u, below_one)) / args.a;
  if (args.op == RandomOp::kGeometric) {
    return std::max(std::ceil(std::log(u) / std::log1p(-args.a)), 1.0);
  }
  const double inside = std::clamp(u, double{std::numeric_limits<T>::epsilon()}, below_one);
  return args.a + args.b * std::tan(3.141592653589793 * (inside - 0.5));
}

bool bernoulli(const RandomArgs& args, std::int64_t e) {
  return philox_uniform(word32(args, e)) <= args.a;
}

std::int64_t randint(const RandomArgs& args, std::int64_t e) {
  const std::uint64_t range = randint_range(args);
  std::uint64_t draw = word32(args, e);
  if (randint_takes_two_words(args)) {
    const PhiloxWords words = words64(args, e);
    draw = std::uint64_t{words.word[e % 2 * 2]} << 32 | words.word[e % 2 * 2 + 1];
  }
  if (range != 0) draw %= range;
  return static_cast<std::int64_t>(draw + static_cast<std::uint64_t>(args.low));
}

bool supports(const RandomArgs& args) {
  return !draws_real_numbers(args.op) || is_floating_point(args.dtype);
}

void random(const RandomArgs& given, KernelContext&) {
  RandomArgs args = given;
  if (args.philox != nullptr) {
    args.seed = args.philox[0];
    args.offset += args.philox[1];
  }
  visit_dtype(args.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* out = static_cast<T*>(args.out);
    for (std::int64_t e = 0; e < args.count; ++e) {
      if (args.op == RandomOp::kBernoulli) out[e] = static_cast<T>(bernoulli(args, e));
      if (args.op == RandomOp::kRandint) out[e] = static_cast<T>(randint(args, e));
      if (args.op == RandomOp::kGeometric) {
        if constexpr (is_floating_point(dtype_of<T>())) {
          using Drawn = std::conditional_t<std::is_same_v<T, double>, double, float>;
          out[e] = T(static_cast<Drawn>(mapped<Drawn>(args, e)));
        } else {
          out[e] =
              static_cast<T>(static_cast<std::int64_t>(std::min(mapped<float>(args, e), 0x1p62)));
        }
      }
      if constexpr (is_floating_point(dtype_of<T>())) {
        using Drawn = std::conditional_t<std::is_same_v<T, double>, double, float>;
        if (args.op == RandomOp::kUniform) {
          out[e] = T(uniform<Drawn>(args, e));
          if (out[e] == T(args.b)) out[e] = T(args.a);
        }
        if (args.op == RandomOp::kNormal) out[e] = T(normal<Drawn>(args, e));
        if (args.op == RandomOp::kLogNormal) out[e] = T(std::exp(normal<Drawn>(args, e)));
        if (args.op == RandomOp::kExponential || args.op == RandomOp::kCauchy) {
          out[e] = T(static_cast<Drawn>(mapped<Drawn>(args, e)));
        }
      }
    }
  });
}

}  // namespace

void register_random(OracleTable& table) { set<RandomArgs, supports, random>(table); }

}  // namespace tern::sim
