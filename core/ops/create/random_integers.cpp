// Compiled for size.

#include <bit>
#include <cmath>
#include <limits>
#include <mutex>

#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/create/detail/random.h>
#include <tern/core/ops/ops.h>

namespace tern {
namespace {

using detail::draw_random_inplace;
using detail::drawn;
using detail::drawn_like;
using detail::OptionalGenerator;
using detail::random_args;
using kernels::RandomOp;

// The integers from lowest to highest that a dtype can hold, and PyTorch's name of its C++ type.
// Floating dtypes count to 2^digits.
struct IntegerRange {
  std::int64_t lowest, highest;
  const char* type;
  int digits;
};

IntegerRange integers_of(ScalarType dtype) {
  constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();
  switch (dtype) {
    case kBool:
      return {0, 1, "bool", 0};
    case kByte:
      return {0, 255, "unsigned char", 0};
    case kChar:
      return {-128, 127, "signed char", 0};
    case kShort:
      return {-32768, 32767, "short int", 0};
    case kInt:
      return {-(kHighest >> 32) - 1, kHighest >> 32, "int", 0};
    case kLong:
      return {kLowest, kHighest, "long int", 0};
    case kHalf:
      return {-65504, 65504, "c10::Half", 11};
    case kBFloat16:
      return {kLowest, kHighest, "c10::BFloat16", 8};
    case kFloat:
      return {kLowest, kHighest, "float", 24};
    case kDouble:
      break;
  }
  return {kLowest, kHighest, "double", 53};
}

// Returns the value as the dtype rounds it.
double rounded(std::int64_t value, ScalarType dtype) {
  return visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return static_cast<double>(T(static_cast<double>(value)));
  });
}

// Returns the distance of neighbouring numbers of the dtype at `value`.
std::int64_t spacing(std::int64_t value, int digits) {
  const auto size = static_cast<std::uint64_t>(value < 0 ? -value : value);
  const int shift = static_cast<int>(std::bit_width(size)) - digits;
  return std::int64_t{1} << (shift > 0 ? shift : 0);
}

// Moves the bounds inwards to numbers of the floating dtype, so that no result is rounded out of
// the interval.
std::int64_t lowest_drawn(std::int64_t from, ScalarType dtype, int digits) {
  if (digits == 0 || from == std::numeric_limits<std::int64_t>::max()) return from;
  const double next = rounded(from + 1, dtype);
  if (next >= static_cast<double>(from) || next < -0x1p63) return from;
  return static_cast<std::int64_t>(next) + spacing(from + 1, digits);
}
std::int64_t end_drawn(std::int64_t to, ScalarType dtype, int digits) {
  if (digits == 0 || to == std::numeric_limits<std::int64_t>::min()) return to;
  const double last = rounded(to - 1, dtype);
  if (last < static_cast<double>(to) || last >= 0x1p63) return to;
  return static_cast<std::int64_t>(last) - spacing(to - 1, digits);
}

void check_bound(const char* name, std::int64_t bound, const IntegerRange& range) {
  TERN_CHECK(bound >= range.lowest && bound <= range.highest, Error, name, " is out of bounds for ",
             range.type, ", got ", bound);
}

Tensor& random_between(const char* node, Tensor& self, std::int64_t from, std::int64_t to,
                       OptionalGenerator& generator) {
  TERN_CHECK(from < to, Error, "random_ expects 'from' to be less than 'to', but got from=", from,
             " >= to=", to);
  const IntegerRange range = integers_of(self.dtype());
  if (range.digits != 0) {
    from = lowest_drawn(from, self.dtype(), range.digits);
    to = end_drawn(to, self.dtype(), range.digits);
    TERN_CHECK(from < to, Error,
               "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but "
               "got from=",
               from, " >= to=", to);
  }
  check_bound("from", from, range);
  check_bound("to - 1", to - 1, range);
  return draw_random_inplace(self, "random_", node, generator,
                             random_args(RandomOp::kRandint, 0, 0, from, to));
}

}  // namespace

Tensor& Tensor::random_(StrictInt from, StrictInt to, OptionalGenerator generator) const {
  TERN_OP("random_", *this);
  return random_between("RandomBackward0", handle(), from, to, generator);
}

Tensor& Tensor::random_(StrictInt to, OptionalGenerator generator) const {
  TERN_OP("random_", *this);
  return random_between("RandomBackward1", handle(), 0, to, generator);
}

Tensor& Tensor::random_(StrictInt from, std::nullopt_t, OptionalGenerator generator) const {
  TERN_OP("random_", *this);
  const IntegerRange range = integers_of(dtype());
  std::int64_t first = from, last = range.highest;
  if (first == std::numeric_limits<std::int64_t>::min()) {
    TERN_CHECK(
        dtype() != kHalf && (range.lowest == first), NotImplementedError,
        "random_ over all 64-bit numbers handles only int64, double, float and bfloat16, got ",
        scalar_type());
    // The range 0 stands for all numbers.
    return draw_random_inplace(handle(), "random_", "RandomBackward0", generator,
                               random_args(RandomOp::kRandint, 0, 0, first, first));
  }
  if (range.digits != 0) {
    last = std::int64_t{1} << range.digits;
    first = lowest_drawn(first, dtype(), range.digits);
    check_bound("from", first, range);
    TERN_CHECK(first < last, Error,
               "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted "
               "to dtype, but got from=",
               first, " > to_inc=", last);
  }
  check_bound("from", first, range);
  // The end may be 2^63, which wraps around as the kernel's count does.
  const auto end = static_cast<std::int64_t>(static_cast<std::uint64_t>(last) + 1);
  return draw_random_inplace(handle(), "random_", "RandomBackward0", generator,
                             random_args(RandomOp::kRandint, 0, 0, first, end));
}

Tensor& Tensor::random_(OptionalGenerator generator) const {
  TERN_OP("random_", *this);
  // All integers from 0 that the dtype counts to; int64 has 2^63 of them, which wraps around.
  const IntegerRange range = integers_of(dtype());
  const std::int64_t last = range.digits != 0 ? std::int64_t{1} << range.digits : range.highest;
  const double one_word = element_size() == 8 ? 0 : 1;
  return draw_random_inplace(
      handle(), "random_", "RandomBackward2", generator,
      random_args(RandomOp::kRandint, one_word, 0, 0,
                  static_cast<std::int64_t>(static_cast<std::uint64_t>(last) + 1)));
}

Tensor randint(StrictInt high, IntArrayRef sizes, const TensorOptions& options) {
  return randint(0, high, sizes, std::nullopt, options);
}
Tensor randint(StrictInt high, IntArrayRef sizes, OptionalGenerator generator,
               const TensorOptions& options) {
  return randint(0, high, sizes, std::move(generator), options);
}
Tensor randint(StrictInt low, StrictInt high, IntArrayRef sizes, const TensorOptions& options) {
  return randint(low, high, sizes, std::nullopt, options);
}
Tensor randint(StrictInt low, StrictInt high, IntArrayRef sizes, OptionalGenerator generator,
               const TensorOptions& options) {
  TERN_OP("randint");
  return drawn(sizes, options.or_else(kLong),
               [&](Tensor& out) { out.random_(low, high, std::move(generator)); });
}

Tensor randint_like(const Tensor& self, StrictInt high, const TensorOptions& options) {
  return randint_like(self, 0, high, options);
}
Tensor randint_like(const Tensor& self, StrictInt low, StrictInt high,
                    const TensorOptions& options) {
  TERN_OP("randint_like", self);
  return drawn_like(self, options, [&](Tensor& out) { out.random_(low, high); });
}
Tensor randint_like(const Tensor& self, StrictInt high, std::optional<Generator> generator,
                    const TensorOptions& options, std::optional<MemoryFormat> memory_format) {
  return randint_like(self, 0, high, std::move(generator), options, memory_format);
}
Tensor randint_like(const Tensor& self, StrictInt low, StrictInt high,
                    std::optional<Generator> generator, const TensorOptions& options,
                    std::optional<MemoryFormat> memory_format) {
  TERN_OP("randint_like", self);
  const TensorOptions chosen = memory_format ? options.memory_format(memory_format) : options;
  return drawn_like(self, chosen, [&](Tensor& out) { out.random_(low, high, generator); });
}

namespace {

// bfloat16 may count past 2^8, as in PyTorch; the numbers are then rounded.
void check_count(std::int64_t n, ScalarType dtype) {
  TERN_CHECK(n >= 0, Error, "n must be non-negative, got ", n);
  TERN_CHECK(dtype != kBool, NotImplementedError, "\"randperm\" not implemented for 'Bool'");
  const IntegerRange range = integers_of(dtype);
  const std::int64_t most = (std::int64_t{1} << range.digits) + 1;
  TERN_CHECK(range.digits == 0 || dtype == kBFloat16 || n <= most, Error,
             "n cannot be greater than ", most, " for ", dtype, " type, got ", n);
  TERN_CHECK(n - 1 <= range.highest, Error, "value cannot be converted to type ", dtype,
             " without overflow: ", n - 1);
}

}  // namespace

Tensor randperm(StrictInt n, const TensorOptions& options) {
  return randperm(n, std::nullopt, options);
}

Tensor randperm(StrictInt n, OptionalGenerator generator, const TensorOptions& options) {
  TERN_OP("randperm");
  const ScalarType dtype = options.dtype_opt().value_or(kLong);
  check_count(n, dtype);
  // Drawn on the host, from the CPU's generator unless one is given.
  const Tensor order = detail::make_tensor({n}, kLong, kCPU);
  Generator& source = detail::chosen_generator(generator, kCPU);
  {
    const std::lock_guard<std::mutex> lock(source.mutex());
    randperm(source.engine(), order.data_ptr<std::int64_t>(), n);
  }
  Tensor out = order.to(options.device(), dtype);
  if (options.pinned_memory()) out = out.pin_memory();
  if (options.requires_grad()) out.requires_grad_();
  return out;
}

}  // namespace tern
