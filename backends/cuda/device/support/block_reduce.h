#pragma once

#include <algorithm>
#include <bit>
#include <cstring>

#include <tern/backends/cuda/device/support/launch.h>
#include <tern/backends/cuda/device/support/shared_array.h>
#include <tern/core/kernels/host_device.h>

// Reductions by the threads of a block. The kThreads threads are divided into teams of equal size.
// A team reduces one row of elements; its members take the elements in turn.

namespace tern::cuda::device {

constexpr unsigned kWarp = 32;

struct Teams {
  unsigned size;  // a power of two up to kThreads
  /// True if neighbouring threads belong to different teams, for tensors whose neighbouring
  /// elements belong to different rows. False if neighbouring threads belong to one team.
  bool interleaved;

  TERN_HOST_DEVICE unsigned count() const { return kThreads / size; }
  __device__ unsigned team() const {
    return interleaved ? threadIdx.x % count() : threadIdx.x / size;
  }
  __device__ unsigned member() const {
    return interleaved ? threadIdx.x / count() : threadIdx.x % size;
  }
  /// Returns the row of this thread's team in a launch of blocks(rows). May be beyond the last row.
  __device__ std::int64_t row() const { return std::int64_t{blockIdx.x} * count() + team(); }
  unsigned blocks(std::int64_t rows) const { return blocks_for(rows, count()); }
};

/// Returns the smallest power of two that is at least `number`, limited to `most`.
inline unsigned power_of_two(std::int64_t number, std::int64_t most) {
  return std::bit_ceil(static_cast<unsigned>(std::clamp<std::int64_t>(number, 1, most)));
}

/// A row gets one team member per this many elements.
constexpr std::int64_t kMemberElements = 4;

/// Returns teams for rows of neighbouring elements. When there are enough rows to fill a GPU, one
/// warp per row suffices and needs no barrier.
inline Teams row_teams(std::int64_t rows, std::int64_t row_size) {
  const bool small = rows >= 4096 && row_size <= 1024;
  const std::int64_t members = (row_size + kMemberElements - 1) / kMemberElements;
  return {power_of_two(members, small ? kWarp : kThreads), false};
}

/// Returns teams for rows whose elements alternate with those of other rows; `run` neighbouring
/// elements belong to `run` different rows.
inline Teams column_teams(std::int64_t run, std::int64_t row_size) {
  const std::int64_t members = (row_size + kMemberElements - 1) / kMemberElements;
  return {power_of_two(members, kThreads / power_of_two(run, kWarp)), true};
}

/// Returns `value` of the lane whose number differs from this lane's in the bits of `mask`.
template <class T>
__device__ T shuffle_xor(T value, unsigned mask) {
  using Word = std::conditional_t<sizeof(T) % 8 == 0, unsigned long long, unsigned>;
  Word words[(sizeof(T) + sizeof(Word) - 1) / sizeof(Word)] = {};
  memcpy(words, &value, sizeof(T));
  for (Word& word : words) word = __shfl_xor_sync(0xffffffffu, word, static_cast<int>(mask));
  memcpy(&value, words, sizeof(T));
  return value;
}

/// Merges the members' values in shared memory, halving the number of values in each step.
template <class T, class Merge>
__device__ T reduce_interleaved(unsigned teams, T value, const Merge& merge) {
  __shared__ SharedArray<T, kThreads> values;
  for (unsigned half = kThreads / 2; half >= teams; half /= 2) {
    __syncthreads();
    values[threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x < half) value = merge(value, static_cast<T>(values[threadIdx.x + half]));
  }
  __syncthreads();
  if (threadIdx.x < teams) values[threadIdx.x] = value;
  __syncthreads();
  return values[threadIdx.x % teams];
}

/// Merges the values of neighbouring threads: first by shuffles within a warp, then across warps in
/// shared memory.
template <class T, class Merge>
__device__ T reduce_neighbours(unsigned size, T value, const Merge& merge) {
  for (unsigned mask = (size < kWarp ? size : kWarp) / 2; mask > 0; mask /= 2) {
    value = merge(value, shuffle_xor(value, mask));
  }
  if (size <= kWarp) return value;
  __shared__ SharedArray<T, kThreads / kWarp> values;
  __syncthreads();
  if (threadIdx.x % kWarp == 0) values[threadIdx.x / kWarp] = value;
  __syncthreads();
  const unsigned first = threadIdx.x / size * (size / kWarp);
  value = values[first];
  for (unsigned i = 1; i < size / kWarp; ++i) {
    value = merge(value, static_cast<T>(values[first + i]));
  }
  return value;
}

/// Merges the values of a team's members and returns the result to every member. All threads of the
/// block must call this. The order of merging depends on the team size alone, so every run gives
/// the same result.
template <class T, class Merge>
__device__ T team_reduce(const Teams& teams, T value, const Merge& merge) {
  if (teams.size == 1) return value;
  return teams.interleaved ? reduce_interleaved(teams.count(), value, merge)
                           : reduce_neighbours(teams.size, value, merge);
}

}  // namespace tern::cuda::device
