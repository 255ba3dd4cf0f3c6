#pragma once

#include <tern/backends/cuda/device/support/block_reduce.h>
#include <tern/backends/cuda/device/support/scratch.h>
#include <tern/backends/cuda/device/support/strided_index.h>

// Reductions of tensors: one result for each element of the kept dimensions, merged from the
// elements of the reduced dimensions. An operation defines the merge:
//   State                           the merged value; plain data
//   identity()                      the state that changes nothing when merged
//   at(offset, position, kept)      the state of the input element at `offset`; position and kept
//                                   are row-major indices among reduced and kept elements
//   operator()(a, b)                merges two states, in any order and grouping
//   store(kept, offset, state)      writes a result to `offset` of the output

namespace tern::cuda::device {

template <class Operation>
struct ReduceLaunch {
  StridedIndex<2> kept;  // offsets in the input and in the output
  StridedIndex<1> reduced;
  Teams teams;
  std::int64_t part;                  // number of reduced elements per part
  typename Operation::State* states;  // [kept][parts], if there are several parts
  Operation operation;
};

/// Merges the elements of one thread. Several states run in parallel: this hides the latency of
/// loads, and several short sums lose less precision than one long sum.
template <bool kRow, class Operation>
__device__ typename Operation::State reduce_thread(const ReduceLaunch<Operation>& launch,
                                                   std::int64_t base, std::int64_t kept,
                                                   std::int64_t at, std::int64_t last) {
  constexpr int kStates = 4;
  const Operation& operation = launch.operation;
  const std::int64_t stride = launch.reduced.small.strides[0][0];
  const auto element = [&](std::int64_t position) {
    std::int64_t offset[1] = {position * stride};
    if constexpr (!kRow) launch.reduced.offsets(position, offset);
    return operation.at(base + offset[0], position, kept);
  };
  const std::int64_t step = launch.teams.size;
  typename Operation::State states[kStates];
  for (auto& state : states) state = operation.identity();
  // The offsets of several elements need registers, which an operation may lack.
  constexpr bool kOneByOne = kRow || requires { requires Operation::kOneByOne; };
  for (; at + (kStates - 1) * step < last; at += kStates * step) {
    std::int64_t offsets[kStates][1];
    if constexpr (!kOneByOne) launch.reduced.offsets(at, step, offsets);
#pragma unroll
    for (int i = 0; i < kStates; ++i) {
      const std::int64_t position = at + i * step;
      if constexpr (kOneByOne) {
        states[i] = operation(states[i], element(position));
      } else {
        states[i] = operation(states[i], operation.at(base + offsets[i][0], position, kept));
      }
    }
  }
  for (; at < last; at += step) states[0] = operation(states[0], element(at));
  return operation(operation(states[0], states[1]), operation(states[2], states[3]));
}

/// One team per result; blockIdx.y is the part. The limit of four blocks per multiprocessor leaves
/// enough registers for all states.
template <class Operation>
__global__ void __launch_bounds__(kThreads, 4) reduce_kernel(ReduceLaunch<Operation> launch) {
  const Operation& operation = launch.operation;
  auto state = operation.identity();
  const std::int64_t kept = launch.teams.row();
  const bool is_result = kept < launch.kept.count;
  std::int64_t offsets[2] = {};
  if (is_result) {
    launch.kept.offsets(kept, offsets);
    const std::int64_t first = blockIdx.y * launch.part, end = first + launch.part;
    const std::int64_t last = end < launch.reduced.count ? end : launch.reduced.count;
    const std::int64_t at = first + launch.teams.member();
    state = launch.reduced.is_row() ? reduce_thread<true>(launch, offsets[0], kept, at, last)
                                    : reduce_thread<false>(launch, offsets[0], kept, at, last);
  }
  state = team_reduce(launch.teams, state, operation);
  if (!is_result || launch.teams.member() != 0) return;
  if (gridDim.y == 1) {
    operation.store(kept, offsets[1], state);
  } else {
    launch.states[kept * gridDim.y + blockIdx.y] = state;
  }
}

/// Merges the parts of each result; one team per result.
template <class Operation>
__global__ void __launch_bounds__(kThreads)
    merge_parts_kernel(ReduceLaunch<Operation> launch, Teams teams, unsigned parts) {
  const Operation& operation = launch.operation;
  auto state = operation.identity();
  const std::int64_t kept = teams.row();
  const bool is_result = kept < launch.kept.count;
  for (unsigned i = teams.member(); is_result && i < parts; i += teams.size) {
    state = operation(state, launch.states[kept * parts + i]);
  }
  state = team_reduce(teams, state, operation);
  if (!is_result || teams.member() != 0) return;
  std::int64_t offsets[2];
  launch.kept.offsets(kept, offsets);
  operation.store(kept, offsets[1], state);
}

/// Returns the number of parts that the reduced elements are divided into: enough to occupy the
/// whole GPU when there are few results, and to keep rounding errors small.
inline std::int64_t reduce_parts(std::int64_t reduced, unsigned team, std::int64_t blocks) {
  constexpr std::int64_t kBlocks = 512;               // enough to fill a GPU
  constexpr std::int64_t kFewest = 16, kMost = 1024;  // elements per thread
  const std::int64_t wanted = std::min(kBlocks / blocks, reduced / (team * kFewest));
  const std::int64_t needed = (reduced + team * kMost - 1) / (team * kMost);
  return std::clamp<std::int64_t>(std::max(wanted, needed), 1, 65535);
}

template <class Operation>
void run_reduction(KernelContext& context, const StridedIndex<2>& kept,
                   const StridedIndex<1>& reduced, const Operation& operation) {
  if (kept.count == 0) return;
  const Teams teams = kept.step() < reduced.step() ? column_teams(kept.row_size(), reduced.count)
                                                   : row_teams(kept.count, reduced.count);
  const unsigned blocks = teams.blocks(kept.count);
  const std::int64_t parts = reduce_parts(reduced.count, teams.size, blocks);
  const std::int64_t part = (reduced.count + parts - 1) / parts;
  const auto parts_count = static_cast<unsigned>(parts);
  ReduceLaunch<Operation> launched{kept, reduced, teams, part, nullptr, operation};
  if (parts == 1) {
    return launch(context, reduce_kernel<Operation>, blocks, kThreads, launched);
  }
  using State = typename Operation::State;
  const Scratch scratch(context, sizeof(State) * static_cast<std::size_t>(kept.count * parts));
  launched.states = scratch.get<State>();
  launch(context, reduce_kernel<Operation>, dim3(blocks, parts_count), kThreads, launched);
  const Teams mergers = row_teams(kept.count, parts);
  launch(context, merge_parts_kernel<Operation>, mergers.blocks(kept.count), kThreads, launched,
         mergers, parts_count);
}

}  // namespace tern::cuda::device
