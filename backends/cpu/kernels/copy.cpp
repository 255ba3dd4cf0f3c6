#include <limits>
#include <type_traits>

#include <tern/backends/cpu/kernels/kernels.h>
#include <tern/backends/cpu/kernels/odometer.h>
#include <tern/backends/cpu/kernels/run.h>
#include <tern/backends/cpu/kernels/strided.h>
#include <tern/core/base/thread_pool.h>

namespace tern::cpu {
namespace {

using namespace kernels;

constexpr std::int64_t kGrain = 32768;

template <class Out, class In>
Out cast(In x) {
  if constexpr (std::is_same_v<Out, bool>) {
    return x != 0;
  } else if constexpr (std::is_floating_point_v<In> && std::is_integral_v<Out>) {
    // What x86 gives: the smallest integer for NaN and all that does not fit.
    constexpr In kLimit = static_cast<In>(0x1p63);
    return x >= -kLimit && x < kLimit ? static_cast<Out>(x) : std::numeric_limits<Out>::min();
  } else {
    return static_cast<Out>(x);
  }
}

template <class Out, class In>
void cast_loop(void* out, const void* const* in, std::int64_t n, const Immediate*) {
  Out* __restrict to = static_cast<Out*>(out);
  // Bytes for bool, as in loops.h.
  using Stored = std::conditional_t<std::is_same_v<In, bool>, unsigned char, In>;
  const Stored* __restrict from = static_cast<const Stored*>(in[0]);
  for (std::int64_t i = 0; i < n; ++i) to[i] = cast<Out>(from[i]);
}

template <int kSize>
void same_loop(void* out, const void* const* in, std::int64_t n, const Immediate*) {
  copy_run(out, in[0], n * kSize);
}

template <class Out>
constexpr void add_casts(LoopSet (&row)[kDtypes]) {
#define TERN_DTYPE(name, type, number, file_name, python_name, category) \
  row[name##Slot] = {std::is_same_v<Out, type> ? same_loop<sizeof(Out)> : cast_loop<Out, type>};
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
}

struct CastTable {
  LoopSet loops[kDtypes][kDtypes];
};
constexpr CastTable kCasts = [] {
  CastTable table{};
#define TERN_DTYPE(name, type, number, file_name, python_name, category) \
  add_casts<type>(table.loops[name##Slot]);
#include <tern/core/tensor/dtypes.def>
#undef TERN_DTYPE
  return table;
}();

}  // namespace

void copy(const CopyArgs& args, KernelContext&) {
  const LoopSet& loops = kCasts.loops[dtype_slot(args.out_dtype)][dtype_slot(args.in_dtype)];
  const int in_size = static_cast<int>(element_size(args.in_dtype));
  const int out_size = static_cast<int>(element_size(args.out_dtype));
  const bool flat =
      args.ndim == 0 || (args.ndim == 1 && args.out_strides[0] == 1 && args.in_strides[0] == 1);
  if (flat) {
    parallel_for(0, args.ndim == 0 ? 1 : args.sizes[0], kGrain,
                 [&](std::int64_t begin, std::int64_t end) {
                   const void* in = static_cast<const char*>(args.in) + begin * in_size;
                   loops.by_numbers[0](static_cast<char*>(args.out) + begin * out_size, &in,
                                       end - begin, nullptr);
                 });
    return;
  }
  run_strided({args.in_dtype == args.out_dtype ? nullptr : &loops,
               nullptr,
               1,
               args.ndim,
               args.sizes,
               args.out,
               args.out_strides,
               out_size,
               {{args.in, args.in_strides, in_size}},
               kGrain});
}

}  // namespace tern::cpu
