#pragma once

#include <algorithm>
#include <cstring>
#include <tuple>
#include <type_traits>

#include <tern/backends/cuda/device/support/elements.h>
#include <tern/backends/cuda/device/support/launch.h>
#include <tern/backends/cuda/device/support/pack.h>
#include <tern/backends/cuda/device/support/strided_index.h>

// One function applied to all elements: the loop of elementwise ops, casts, copies and fills.

namespace tern::cuda::device {

/// The output (index 0) and K - 1 inputs of a map. An input with a null pointer has one value for
/// all elements, whose bits are in `immediate`. What the function takes or returns as float or
/// int32 is stored as `dtype`.
template <int K>
struct MapOperands {
  std::int32_t ndim;
  ScalarType dtype;
  std::int64_t sizes[kMaxDims];
  const void* data[K];
  const std::int64_t* strides[K];  // null: all strides are 0
  std::int64_t immediate[K];

  std::int64_t numel() const {
    std::int64_t count = 1;
    for (int d = 0; d < ndim; ++d) count *= sizes[d];
    return count;
  }
};

template <int K>
struct MapLaunch {
  StridedIndex32<K> index;
  std::uint32_t count;
  ScalarType dtype;
  bool flat, packed;  // flat: each operand is contiguous or one value; packed: all are aligned
  bool moves[K];      // in a flat map: the operand is contiguous, not one value
  void* out;
  const void* in[K];
  std::int64_t immediate[K];
};

/// True if operands of type T may be narrower in memory.
template <class T>
constexpr bool kConverts = std::is_same_v<T, float> || std::is_same_v<T, std::int32_t>;

/// The type in memory of an operand of type T, if operands that convert are `Stored` there.
template <class T, class Stored>
using MapStored = std::conditional_t<kConverts<T>, Stored, T>;

template <class T, class Visitor>
__device__ void visit_map_stored(ScalarType dtype, const Visitor& visitor) {
  if constexpr (kConverts<T>) {
    visit_stored<T>(dtype, visitor);
  } else {
    visitor(TypeTag<T>());
  }
}

template <class T>
__device__ T map_number(const std::int64_t& immediate) {
  T value;
  memcpy(&value, &immediate, sizeof(T));
  return value;
}

template <class T>
__device__ T map_input(const void* data, ScalarType dtype, std::int64_t offset,
                       const std::int64_t& immediate) {
  if (data == nullptr) return map_number<T>(immediate);
  if constexpr (kConverts<T>) {
    return Elements<T>{data, dtype}[offset];
  } else {
    return static_cast<const T*>(data)[offset];
  }
}

/// Reads neighbours, or the one value of all elements.
template <class Stored, int kCount>
__device__ Pack<Stored, kCount> map_pack(const void* data, bool moves, std::int64_t at) {
  const auto stored = static_cast<const Stored*>(data);
  if (moves) return pack_at<kCount>(stored + at);
  Pack<Stored, kCount> pack{};
  for (int i = 0; data != nullptr && i < kCount; ++i) pack.values[i] = *stored;
  return pack;
}

template <class T, class Stored, int kCount>
__device__ Pack<T, kCount> map_widened(const Pack<Stored, kCount>& pack, bool is_number,
                                       const std::int64_t& immediate) {
  Pack<T, kCount> wide;
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    const T value = widened<T>(pack.values[i]);  // without a branch for each element
    wide.values[i] = is_number ? map_number<T>(immediate) : value;
  }
  return wide;
}

/// The number of elements per thread: 16 bytes of the widest type, or one. A function may ask for
/// one with kPacks = false: each copy of a long function in a kernel takes nvcc up to a second.
template <class Function, class... T>
constexpr int kMapPack = [] {
  if constexpr (requires { requires !Function::kPacks; }) return 1;
  return 16 / static_cast<int>(std::max({sizeof(T)...}));
}();

// The functions that read and write know nothing of the function that is applied, so that a C++
// compiler, which inlines less, has one copy for all functions.

/// Reads a pack of each input before it converts any, so that the loads run together.
template <class Stored, int kCount, class... In, std::size_t... k>
__device__ void map_read([[maybe_unused]] const MapLaunch<1 + sizeof...(In)>& map,
                         [[maybe_unused]] std::uint32_t first,
                         [[maybe_unused]] std::tuple<Pack<In, kCount>...>& in,
                         std::index_sequence<k...>) {
  [[maybe_unused]] const std::tuple<Pack<MapStored<In, Stored>, kCount>...> stored(
      map_pack<MapStored<In, Stored>, kCount>(map.in[k + 1], map.moves[k + 1], first)...);
  ((std::get<k>(in) =
        map_widened<In>(std::get<k>(stored), map.in[k + 1] == nullptr, map.immediate[k + 1])),
   ...);
}

/// Reads packs. (Lambdas here capture no parameter pack: nvcc 13.0 expands such packs wrongly.)
template <class Out, int kCount, class... In, std::size_t... k>
__device__ void map_read_packs(const MapLaunch<1 + sizeof...(In)>& map, std::uint32_t first,
                               std::tuple<Pack<In, kCount>...>& in,
                               std::index_sequence<k...> inputs) {
  using Last = std::tuple_element_t<sizeof...(In), std::tuple<Out, In...>>;
  visit_map_stored<Last>(map.dtype, [&](auto tag) {
    map_read<typename decltype(tag)::type, kCount>(map, first, in, inputs);
  });
}

template <class Out, int kCount, int K>
__device__ void map_write_pack(const MapLaunch<K>& map, std::uint32_t first,
                               const Pack<Out, kCount>& results) {
  visit_map_stored<Out>(map.dtype, [&](auto tag) {
    using Stored = typename decltype(tag)::type;
    Pack<Stored, kCount> pack;
#pragma unroll
    for (int i = 0; i < kCount; ++i) pack.values[i] = narrowed<Stored>(results.values[i]);
    pack_at<kCount>(static_cast<Stored*>(map.out) + first) = pack;
  });
}

/// Reads an element of each input, and returns the offset of the result.
template <class... In, std::size_t... k>
__device__ std::int64_t map_read_element(const MapLaunch<1 + sizeof...(In)>& map, std::uint32_t at,
                                         [[maybe_unused]] std::tuple<Pack<In, 1>...>& in,
                                         std::index_sequence<k...>) {
  std::int64_t offsets[1 + sizeof...(In)];
  if (map.flat) {
    offsets[0] = at;
    ((offsets[k + 1] = map.moves[k + 1] ? at : 0), ...);
  } else {
    map.index.offsets(at, offsets);
  }
  ((std::get<k>(in).values[0] =
        map_input<In>(map.in[k + 1], map.dtype, offsets[k + 1], map.immediate[k + 1])),
   ...);
  return offsets[0];
}

template <class Out, int K>
__device__ void map_write_element(const MapLaunch<K>& map, std::int64_t offset, const Out& result) {
  if constexpr (kConverts<Out>) {
    Elements<Out>{map.out, map.dtype}.set(offset, result);
  } else {
    static_cast<Out*>(map.out)[offset] = result;
  }
}

template <class Function, int kCount, class Out, class... In, std::size_t... k>
__device__ void map_compute(const Function& function,
                            [[maybe_unused]] const std::tuple<Pack<In, kCount>...>& in,
                            Pack<Out, kCount>& results, std::index_sequence<k...>) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) results.values[i] = function(std::get<k>(in).values[i]...);
}

/// The same for a function that is one of several, which is known when the kernel runs: it has
/// visit(visitor), which calls the visitor with that one.
template <class Function, int kCount, class Out, class... In>
__device__ void map_apply(const Function& function, const std::tuple<Pack<In, kCount>...>& in,
                          Pack<Out, kCount>& results) {
  constexpr std::index_sequence_for<In...> inputs;
  if constexpr (requires { typename Function::OneOfSeveral; }) {
    function.visit([&](const auto& one) { map_compute(one, in, results, inputs); });
  } else {
    map_compute(function, in, results, inputs);
  }
}

template <class Function, class Out, class... In, std::size_t... k>
__device__ void map_thread(const MapLaunch<1 + sizeof...(In)>& map, const Function& function,
                           std::index_sequence<k...> inputs) {
  constexpr int kCount = kMapPack<Function, Out, In...>;
  const std::uint32_t block = blockIdx.x * (kThreads * kCount);
  // Neighbouring threads take neighbouring elements, except in the last pack of a packed map.
  std::uint32_t at = block + threadIdx.x, step = kThreads;
  if constexpr (kCount > 1) {
    if (map.packed) {
      at = block + threadIdx.x * kCount;
      step = 1;
      if (at + kCount <= map.count) {
        std::tuple<Pack<In, kCount>...> in;
        map_read_packs<Out, kCount>(map, at, in, inputs);
        Pack<Out, kCount> results;
        map_apply(function, in, results);
        return map_write_pack(map, at, results);
      }
    }
  }
#pragma unroll 1
  for (int i = 0; i < kCount && at < map.count; ++i, at += step) {
    std::tuple<Pack<In, 1>...> in;
    const std::int64_t offset = map_read_element(map, at, in, inputs);
    Pack<Out, 1> result;
    map_apply(function, in, result);
    map_write_element(map, offset, result.values[0]);
  }
}

template <class Function, class Out, class... In>
__global__ void __launch_bounds__(kThreads)
    map_kernel(MapLaunch<1 + sizeof...(In)> map, Function function) {
  map_thread<Function, Out, In...>(map, function, std::index_sequence_for<In...>());
}

/// Launches the kernel of a map. Depends on the number of operands alone, because it is compiled
/// for each kernel otherwise. `item_sizes` are in bytes; a thread computes `pack` elements.
template <int K>
void launch_map(KernelContext& context, MapOperands<K> operands, const std::size_t (&item_sizes)[K],
                int pack, const Kernel& kernel, const void* function) {
  const std::int64_t count = operands.numel();
  if (count == 0) return;
  if (count > 0x7fffffff) {  // exceeds the kernel's counter: halve the largest dimension
    std::int64_t* const size = std::max_element(operands.sizes, operands.sizes + operands.ndim);
    const std::int64_t half = *size / 2, d = size - operands.sizes;
    MapOperands<K> rest = operands;
    *size = half;
    rest.sizes[d] -= half;
    for (int k = 0; k < K; ++k) {
      if (rest.data[k] == nullptr || rest.strides[k] == nullptr) continue;
      rest.data[k] = static_cast<const char*>(rest.data[k]) +
                     half * rest.strides[k][d] * static_cast<std::int64_t>(item_sizes[k]);
    }
    launch_map(context, operands, item_sizes, pack, kernel, function);
    return launch_map(context, rest, item_sizes, pack, kernel, function);
  }
  MapLaunch<K> launched;
  launched.count = static_cast<std::uint32_t>(count);
  launched.dtype = operands.dtype;
  launched.out = const_cast<void*>(operands.data[0]);
  launched.flat = operands.ndim <= 1;
  bool aligned = true;
  for (int k = 0; k < K; ++k) {
    launched.in[k] = operands.data[k];
    launched.immediate[k] = operands.immediate[k];
    const bool is_number = operands.data[k] == nullptr || operands.strides[k] == nullptr;
    const std::int64_t step = is_number || operands.ndim == 0 ? 0 : operands.strides[k][0];
    launched.moves[k] = step == 1;
    launched.flat = launched.flat && (step == 1 || (step == 0 && (k > 0 || count == 1)));
    const auto address = reinterpret_cast<std::uintptr_t>(operands.data[k]);
    const std::size_t pack_bytes = item_sizes[k] * static_cast<std::size_t>(pack);
    aligned = aligned && (!launched.moves[k] || address % pack_bytes == 0);
  }
  launched.packed = launched.flat && aligned && launched.moves[0];
  for (int d = 0; d < operands.ndim; ++d) {
    std::int64_t strides[K] = {};
    for (int k = 0; k < K; ++k) {
      if (operands.strides[k] != nullptr) strides[k] = operands.strides[k][d];
    }
    launched.index.add_dim(operands.sizes[d], strides);
  }
  const void* const arguments[] = {&launched, function};
  launch_kernel(context, kernel, blocks_for(count, std::int64_t{kThreads} * pack), kThreads,
                arguments);
}

/// The bytes of an element of type T in memory.
template <class T>
std::size_t map_item_size(ScalarType dtype) {
  return kConverts<T> ? element_size(dtype) : sizeof(T);
}

/// Computes out[i] = function(in[i]...) with elements of type Out and In.
template <class Out, class... In, class Function>
void map(KernelContext& context, const MapOperands<1 + sizeof...(In)>& operands,
         const Function& function) {
  const std::size_t item_sizes[] = {map_item_size<Out>(operands.dtype),
                                    map_item_size<In>(operands.dtype)...};
  launch_map(context, operands, item_sizes, kMapPack<Function, Out, In...>,
             Kernel(map_kernel<Function, Out, In...>), &function);
}

}  // namespace tern::cuda::device
