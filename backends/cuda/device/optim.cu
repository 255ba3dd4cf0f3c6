#include <tern/backends/cuda/device/support/elements.h>
#include <tern/backends/cuda/device/support/launch.h>
#include <tern/backends/cuda/device/support/pack.h>
#include <tern/backends/cuda/device/support/shared_array.h>
#include <tern/core/kernels/optim/formulas.h>

// All tensors of a call in one launch: a block takes kPerBlock elements of one of them.

namespace tern::cuda::device {
namespace {

constexpr int kPerThread = 4;
constexpr int kPerBlock = static_cast<int>(kThreads) * kPerThread;

unsigned block_count(const OptimArgs& args) {
  std::int64_t blocks = 0;
  for (int t = 0; t < args.count; ++t) blocks += (args.numel[t] + kPerBlock - 1) / kPerBlock;
  return static_cast<unsigned>(blocks);
}

/// Neighbours in one tensor, `count` of them.
struct Piece {
  int tensor;
  std::int64_t first;
  int count;
};

/// Returns the elements of the calling thread; a count of 0 is none.
__device__ Piece piece_of_thread(const OptimArgs& args) {
  std::int64_t block = blockIdx.x;
  for (int t = 0; t < args.count; ++t) {
    const std::int64_t blocks = (args.numel[t] + kPerBlock - 1) / kPerBlock;
    if (block >= blocks) {
      block -= blocks;
      continue;
    }
    const std::int64_t first = block * kPerBlock + threadIdx.x * kPerThread;
    const std::int64_t rest = args.numel[t] - first;
    return {t, first, static_cast<int>(rest < 0 ? 0 : rest < kPerThread ? rest : kPerThread)};
  }
  return {};
}

/// The elements of a piece, with the states that the rule uses.
template <class T>
struct Loaded {
  Pack<T, kPerThread> param, grad, states[kMaxOptimStates];
};

template <class T>
__device__ Pack<T, kPerThread> read(const void* data, const Piece& piece) {
  return read_pack<kPerThread>(static_cast<const T*>(data) + piece.first, piece.count);
}

/// Reads all elements of a piece before it converts any, so that the loads run together.
template <class Rule, class Stored, class T>
__device__ void read(const OptimArgs& args, const Piece& piece, Loaded<T>& loaded) {
  const int t = piece.tensor;
  Loaded<Stored> stored{};
  stored.param = read<Stored>(args.param[t], piece);
  stored.grad = read<Stored>(args.grad[t], piece);
#pragma unroll
  for (int k = 0; k < Rule::kStates; ++k) {
    if ((args.states >> k & 1) != 0) stored.states[k] = read<Stored>(args.state[k][t], piece);
  }
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    loaded.param.values[i] = widened<T>(stored.param.values[i]);
    loaded.grad.values[i] = widened<T>(stored.grad.values[i]);
    for (int k = 0; k < kMaxOptimStates; ++k) {
      loaded.states[k].values[i] = widened<T>(stored.states[k].values[i]);
    }
  }
}

template <class Stored, class T>
__device__ void write(void* data, const Pack<T, kPerThread>& elements, const Piece& piece) {
  Pack<Stored, kPerThread> stored;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) stored.values[i] = narrowed<Stored>(elements.values[i]);
  write_pack(static_cast<Stored*>(data) + piece.first, stored, piece.count);
}

template <class Rule, class T>
__device__ void optim_elements(const OptimArgs& args,
                               const typename Rule::template Constants<T>& constants,
                               unsigned form) {
  const Piece piece = piece_of_thread(args);
  if (piece.count == 0) return;
  Loaded<T> loaded;
  visit_stored<T>(args.dtype,
                  [&](auto tag) { read<Rule, typename decltype(tag)::type>(args, piece, loaded); });
  auto& [param, grad, states] = loaded;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    param.values[i] =
        optim_element<Rule>(form, constants, param.values[i], grad.values[i], states[0].values[i],
                            states[1].values[i], states[2].values[i]);
  }
  visit_stored<T>(args.dtype, [&](auto tag) {
    using Stored = typename decltype(tag)::type;
    const int t = piece.tensor;
    write<Stored>(args.param[t], loaded.param, piece);
#pragma unroll
    for (int k = 0; k < Rule::kStates; ++k) {
      if ((args.states >> k & 1) != 0) write<Stored>(args.state[k][t], loaded.states[k], piece);
    }
  });
}

template <class Rule, class T>
__global__ void __launch_bounds__(kThreads)
    optim_kernel(OptimArgs args, typename Rule::template Constants<T> constants, unsigned form) {
  optim_elements<Rule, T>(args, constants, form);
}

// For a graph, which freezes its arguments: reads from the device what changes between replays. One
// thread of each of the first warps computes a number that depends on the step, for its block.
template <class Rule, class T>
__global__ void __launch_bounds__(kThreads) optim_graph_kernel(OptimArgs args, unsigned form) {
  const typename Rule::Numbers numbers = optim_numbers<Rule>(args);
  double step_numbers[kMaxOptimStepNumbers] = {};
  if constexpr (Rule::kStepNumbers > 0) {
    __shared__ SharedArray<double, kMaxOptimStepNumbers> of_block;
    const int k = static_cast<int>(threadIdx.x) / 32;
    if (threadIdx.x % 32 == 0 && k < Rule::kStepNumbers) {
      const double step = args.device_step != nullptr ? *args.device_step : args.step;
      of_block[k] = Rule::step_number(k, numbers, step);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Rule::kStepNumbers; ++i) step_numbers[i] = of_block[i];
  }
  const double lr = args.device_lr != nullptr ? *args.device_lr : args.lr;
  optim_elements<Rule, T>(args, Rule::template constants<T>(numbers, lr, step_numbers), form);
}

template <class Rule, class T>
void launch_optim(const OptimArgs& args, KernelContext& context) {
  const unsigned form = optim_form<Rule, T>(args);
  if (args.device_lr != nullptr || args.device_step != nullptr) {
    return launch(context, optim_graph_kernel<Rule, T>, block_count(args), kThreads, args, form);
  }
  launch(context, optim_kernel<Rule, T>, block_count(args), kThreads, args,
         optim_constants<Rule, T>(args), form);
}

void optim(const OptimArgs& args, KernelContext& context) {
  visit_optim_rule(args.rule, [&](auto rule) {
    using Rule = decltype(rule);
    visit_floating(math_dtype(args.dtype), context, [&](auto tag) {
      launch_optim<Rule, typename decltype(tag)::type>(args, context);
    });
  });
}

}  // namespace

void register_optim(KernelTable& table) { set<OptimArgs, optim>(table); }

}  // namespace tern::cuda::device
