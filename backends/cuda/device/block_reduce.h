#pragma once

#include <algorithm>
#include <bit>
#include <cstring>

#include <tern/backends/cuda/device/launch.h>
#include <tern/core/kernels/host_device.h>

// Reductions by the threads of a block. Its kThreads threads are divided into teams; each team has
// a row of elements, which its members take in turn.

namespace tern::cuda::device {

constexpr unsigned kWarp = 32;

struct Teams {
  unsigned size;  // a power of two up to kThreads
  /// Neighbouring threads are of different teams, because neighbouring elements are of different
  /// rows; else they are of one team.
  bool interleaved;

  TERN_HOST_DEVICE unsigned count() const { return kThreads / size; }
  __device__ unsigned team() const {
    return interleaved ? threadIdx.x % count() : threadIdx.x / size;
  }
  __device__ unsigned member() const {
    return interleaved ? threadIdx.x / count() : threadIdx.x % size;
  }
  /// The row of this thread's team, in a launch of blocks(rows); may be beyond the last one.
  __device__ std::int64_t row() const { return std::int64_t{blockIdx.x} * count() + team(); }
  unsigned blocks(std::int64_t rows) const { return blocks_for(rows, count()); }
};

/// The least power of two from `number` on, `most` at most.
inline unsigned power_of_two(std::int64_t number, std::int64_t most) {
  return std::bit_ceil(static_cast<unsigned>(std::clamp<std::int64_t>(number, 1, most)));
}

/// Elements of a row for each member at least, before a row gets more members.
constexpr std::int64_t kMemberElements = 4;

/// For rows of neighbouring elements. Where there are rows enough to fill a GPU, a warp each will
/// do, which needs no barrier.
inline Teams row_teams(std::int64_t rows, std::int64_t row_size) {
  const bool small = rows >= 4096 && row_size <= 1024;
  const std::int64_t members = (row_size + kMemberElements - 1) / kMemberElements;
  return {power_of_two(members, small ? kWarp : kThreads), false};
}

/// For rows whose elements lie between those of other rows, `run` elements being neighbours.
inline Teams column_teams(std::int64_t run, std::int64_t row_size) {
  const std::int64_t members = (row_size + kMemberElements - 1) / kMemberElements;
  return {power_of_two(members, kThreads / power_of_two(run, kWarp)), true};
}

/// The value of the lane whose number differs in the bits of `mask`.
template <class T>
__device__ T shuffle_xor(T value, unsigned mask) {
  using Word = std::conditional_t<sizeof(T) % 8 == 0, unsigned long long, unsigned>;
  Word words[(sizeof(T) + sizeof(Word) - 1) / sizeof(Word)] = {};
  memcpy(words, &value, sizeof(T));
  for (Word& word : words) word = __shfl_xor_sync(0xffffffffu, word, static_cast<int>(mask));
  memcpy(&value, words, sizeof(T));
  return value;
}

/// Merges the members' values by halves, in shared memory.
template <class T, class Merge>
__device__ T reduce_interleaved(unsigned teams, T value, const Merge& merge) {
  __shared__ T values[kThreads];
  for (unsigned half = kThreads / 2; half >= teams; half /= 2) {
    __syncthreads();
    values[threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x < half) value = merge(value, values[threadIdx.x + half]);
  }
  __syncthreads();
  if (threadIdx.x < teams) values[threadIdx.x] = value;
  __syncthreads();
  return values[threadIdx.x % teams];
}

/// Merges the values of neighbours: by shuffles in a warp, and these results in shared memory.
template <class T, class Merge>
__device__ T reduce_neighbours(unsigned size, T value, const Merge& merge) {
  for (unsigned mask = (size < kWarp ? size : kWarp) / 2; mask > 0; mask /= 2) {
    value = merge(value, shuffle_xor(value, mask));
  }
  if (size <= kWarp) return value;
  __shared__ T values[kThreads / kWarp];
  __syncthreads();
  if (threadIdx.x % kWarp == 0) values[threadIdx.x / kWarp] = value;
  __syncthreads();
  const unsigned first = threadIdx.x / size * (size / kWarp);
  value = values[first];
  for (unsigned i = 1; i < size / kWarp; ++i) value = merge(value, values[first + i]);
  return value;
}

/// All values of a team's members merged, for every member. All threads of the block must call it.
/// Which values meet depends on the size alone, so results are the same in every run.
template <class T, class Merge>
__device__ T team_reduce(const Teams& teams, T value, const Merge& merge) {
  if (teams.size == 1) return value;
  return teams.interleaved ? reduce_interleaved(teams.count(), value, merge)
                           : reduce_neighbours(teams.size, value, merge);
}

}  // namespace tern::cuda::device
