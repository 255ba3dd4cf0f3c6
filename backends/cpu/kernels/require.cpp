// Instruction sets: baseline avx2.

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cstdio>
#include <iterator>
#include <string>

#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/families/require.h>
#include <tern/core/kernels/late_error.h>
#include <tern/core/kernels/math/math_dtype.h>

namespace tern::cpu {
namespace {

using kernels::RequireOp;

constexpr std::int64_t kRequireGrain = 32768;
constexpr std::int64_t kRequireBlock = 4096;  // elements between two checks of the result

/// Returns true if all values satisfy `op`. Has no early exit, so that the loop vectorises.
template <RequireOp op, class T>
bool block_keeps_rule(const T* values, std::int64_t count) {
  if constexpr (op == RequireOp::kProbability && std::is_floating_point_v<T>) {
    // As unsigned integers, the numbers from 0 to 1 are in order; negative numbers and NaN are
    // above them. Adding 0 turns -0 into 0.
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    Bits largest = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      largest = std::max(largest, std::bit_cast<Bits>(values[i] + T(0)));
    }
    return largest <= std::bit_cast<Bits>(T(1));
  } else {
    std::int64_t broken = 0;
    for (std::int64_t i = 0; i < count; ++i) broken |= kernels::keeps_rule(op, values[i]) ? 0 : 1;
    return broken == 0;
  }
}

template <RequireOp op, class T>
bool all_keep_rule(const T* values, std::int64_t count) {
  std::atomic<bool> broken = false;
  parallel_for(0, count, kRequireGrain, [&](std::int64_t begin, std::int64_t end) {
    for (; begin < end && !broken.load(std::memory_order_relaxed); begin += kRequireBlock) {
      if (block_keeps_rule<op>(values + begin, std::min(end - begin, kRequireBlock))) continue;
      broken.store(true, std::memory_order_relaxed);
    }
  });
  return !broken.load(std::memory_order_relaxed);
}

/// Writes the message for the first of the values that violates `op`.
template <class T>
void write_error(RequireOp op, const T* values, std::int64_t count,
                 kernels::KernelContext& context) {
  context.status = kernels::StatusCode::kInvalidValue;
  std::string text = kernels::broken_rule(op);
  if constexpr (std::is_floating_point_v<T>) {
    const T* const wrong = std::find_if(values, values + count,
                                        [op](T value) { return !kernels::keeps_rule(op, value); });
    char number[32] = {};
    std::to_chars(number, std::end(number) - 1, *wrong);
    text += " The element at index " + std::to_string(wrong - values) +
            " of the flattened tensor is " + number;
  }
  std::snprintf(context.message, sizeof(context.message), "%s", text.c_str());
}

void require(const kernels::RequireArgs& args, kernels::KernelContext& context) {
  kernels::visit_math_dtype(args.dtype, [&](auto tag) {
    const auto values = static_cast<const typename decltype(tag)::type*>(args.values);
    const auto holds = [&] {
      switch (args.op) {
        case RequireOp::kDivisor:
          return all_keep_rule<RequireOp::kDivisor>(values, args.count);
        case RequireOp::kProbability:
          return all_keep_rule<RequireOp::kProbability>(values, args.count);
        case RequireOp::kDeviation:
        case RequireOp::kRate:
          return all_keep_rule<RequireOp::kRate>(values, args.count);
        case RequireOp::kWeight:
          return all_keep_rule<RequireOp::kWeight>(values, args.count);
        case RequireOp::kTotal:
          break;
      }
      return all_keep_rule<RequireOp::kTotal>(values, args.count);
    };
    if (!holds()) write_error(args.op, values, args.count, context);
  });
}

}  // namespace

void register_require(kernels::KernelTable& table) {
  kernels::set<kernels::RequireArgs, require>(table);
}

}  // namespace tern::cpu
