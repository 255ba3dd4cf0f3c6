#include <cstring>
#include <limits>
#include <type_traits>

#include <tern/backends/sim/kernels/kernels.h>
#include <tern/backends/sim/kernels/number.h>
#include <tern/core/kernels/stride_walker.h>

namespace tern::sim {
namespace {

// An element of any dtype, without loss of precision.
struct Value {
  bool is_floating;
  double real;
  std::int64_t whole;
};

Value value_at(const void* data, ScalarType dtype, std::int64_t index) {
  return visit_dtype(dtype, [&](auto tag) -> Value {
    using T = typename decltype(tag)::type;
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): an int8_t is a number.
    const Wide<T> value = static_cast<const T*>(data)[index];
    if constexpr (is_floating_point(dtype_of<T>())) return {true, value, 0};
    return {false, 0, static_cast<std::int64_t>(value)};
  });
}

// Converts as x86 does: towards zero, and to the minimum if the value does not fit.
template <class T>
T truncated(double value) {
  constexpr double kLimit = -static_cast<double>(std::numeric_limits<T>::min());
  if (!(value >= -kLimit && value < kLimit)) return std::numeric_limits<T>::min();
  return static_cast<T>(value);
}

template <class T>
T cast(const Value& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value.is_floating ? value.real != 0 : value.whole != 0;
  } else if constexpr (is_floating_point(dtype_of<T>())) {
    return value.is_floating ? static_cast<T>(value.real) : static_cast<T>(value.whole);
  } else {
    // Narrow integers take the low bits of an int32, uint8 the low bits of an int64.
    using Wider =
        std::conditional_t<sizeof(T) == 8 || std::is_unsigned_v<T>, std::int64_t, std::int32_t>;
    return static_cast<T>(value.is_floating ? truncated<Wider>(value.real) : value.whole);
  }
}

// Walks over the output (0) and the input (1).
using CopyWalker = CountedWalker<2>;
CopyWalker walker(const CopyArgs& args) {
  return {args.ndim, args.sizes, {args.out_strides, args.in_strides}};
}

void copy_bytes(const CopyArgs& args) {
  const auto size = static_cast<std::int64_t>(element_size(args.out_dtype));
  for (CopyWalker at = walker(args); !at.done(); at.next()) {
    std::memcpy(static_cast<char*>(args.out) + at.offset(0) * size,
                static_cast<const char*>(args.in) + at.offset(1) * size,
                static_cast<std::size_t>(size));
  }
}

bool supports(const CopyArgs&) { return true; }

void copy(const CopyArgs& args, KernelContext&) {
  if (args.in_dtype == args.out_dtype) return copy_bytes(args);
  visit_dtype(args.out_dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (CopyWalker at = walker(args); !at.done(); at.next()) {
      const Value value = value_at(args.in, args.in_dtype, at.offset(1));
      static_cast<T*>(args.out)[at.offset(0)] = cast<T>(value);
    }
  });
}

}  // namespace

void register_copy(OracleTable& table) { set<CopyArgs, supports, copy>(table); }

}  // namespace tern::sim
