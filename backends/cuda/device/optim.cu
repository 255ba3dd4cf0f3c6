#include <tern/backends/cuda/device/launch.h>
#include <tern/backends/cuda/device/pack.h>
#include <tern/core/kernels/families/optim.h>
#include <tern/core/kernels/optim_formulas.h>

// All tensors of a call in one launch: a block takes kPerBlock elements of one of them.

namespace tern::cuda::device {
namespace {

constexpr int kPerThread = 4;
constexpr int kPerBlock = static_cast<int>(kThreads) * kPerThread;

template <class Args>
unsigned block_count(const Args& args) {
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

// What the calling thread takes; a count of 0 is nothing.
template <class Args>
__device__ Piece piece_of_thread(const Args& args) {
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

// The elements of a piece. All of them are read before any is written, so that the loads run
// together.
template <class T>
__device__ Pack<T, kPerThread> read(const void* data, const Piece& piece) {
  return read_pack<kPerThread>(static_cast<const T*>(data) + piece.first, piece.count);
}
template <class T>
__device__ void write(void* data, const Pack<T, kPerThread>& elements, const Piece& piece) {
  write_pack(static_cast<T*>(data) + piece.first, elements, piece.count);
}

template <class T>
__device__ void adam_elements(const AdamArgs& args, const AdamNumbers<T>& numbers, unsigned form) {
  const Piece piece = piece_of_thread(args);
  if (piece.count == 0) return;
  const int t = piece.tensor;
  const bool amsgrad = (form & kAmsgrad) != 0;
  auto param = read<T>(args.param[t], piece);
  const auto grad = read<T>(args.grad[t], piece);
  auto mean = read<T>(args.exp_avg[t], piece);
  auto square = read<T>(args.exp_avg_sq[t], piece);
  Pack<T, kPerThread> top{};
  if (amsgrad) top = read<T>(args.max_exp_avg_sq[t], piece);
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    param.values[i] = adam_element(form, numbers, param.values[i], grad.values[i], mean.values[i],
                                   square.values[i], top.values[i]);
  }
  write(args.param[t], param, piece);
  write(args.exp_avg[t], mean, piece);
  write(args.exp_avg_sq[t], square, piece);
  if (amsgrad) write(args.max_exp_avg_sq[t], top, piece);
}

template <class T>
__device__ void sgd_elements(const SgdArgs& args, const SgdNumbers<T>& numbers) {
  const Piece piece = piece_of_thread(args);
  if (piece.count == 0) return;
  const int t = piece.tensor;
  const unsigned form = sgd_form(args, t);
  auto param = read<T>(args.param[t], piece);
  const auto grad = read<T>(args.grad[t], piece);
  Pack<T, kPerThread> buffer{};
  if ((form & kMomentum) != 0) buffer = read<T>(args.momentum_buffer[t], piece);
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    param.values[i] = sgd_element(form, numbers, param.values[i], grad.values[i], buffer.values[i]);
  }
  write(args.param[t], param, piece);
  if ((form & kMomentum) != 0) write(args.momentum_buffer[t], buffer, piece);
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    adam_kernel(AdamArgs args, AdamNumbers<T> numbers, unsigned form) {
  adam_elements(args, numbers, form);
}

template <class T>
__global__ void __launch_bounds__(kThreads) sgd_kernel(SgdArgs args, SgdNumbers<T> numbers) {
  sgd_elements(args, numbers);
}

// The same for a graph: what changes between its replays lies on the device. Two threads of a
// block, in different warps, compute the powers for all.

template <class T>
__global__ void __launch_bounds__(kThreads) adam_graph_kernel(AdamArgs args, unsigned form) {
  __shared__ double corrections[2];
  if (threadIdx.x % 32 == 0 && threadIdx.x < 64) {
    const bool second = threadIdx.x != 0;
    double correction = second ? args.bias_correction2_sqrt : args.bias_correction1;
    if (args.device_step != nullptr) {
      correction = 1 - pow(second ? args.beta2 : args.beta1, *args.device_step);
      if (second) correction = sqrt(correction);
    }
    corrections[second] = correction;
  }
  __syncthreads();
  const double lr = args.device_lr != nullptr ? *args.device_lr : args.lr;
  adam_elements(args, adam_numbers<T>(args, lr, corrections[0], corrections[1]), form);
}

template <class T>
__global__ void __launch_bounds__(kThreads) sgd_graph_kernel(SgdArgs args) {
  sgd_elements(args, sgd_numbers<T>(args, *args.device_lr));
}

void adam(const AdamArgs& args, KernelContext& context) {
  const auto run = [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (args.device_lr != nullptr || args.device_step != nullptr) {
      return launch(context, adam_graph_kernel<T>, block_count(args), kThreads, args,
                    adam_form<T>(args));
    }
    launch(context, adam_kernel<T>, block_count(args), kThreads, args, adam_numbers<T>(args),
           adam_form<T>(args));
  };
  if (args.dtype == kFloat) return run(TypeTag<float>());
  if (args.dtype == kDouble) return run(TypeTag<double>());
  context.status = StatusCode::kUnsupportedDtype;
}

void sgd(const SgdArgs& args, KernelContext& context) {
  const auto run = [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (args.device_lr != nullptr) {
      return launch(context, sgd_graph_kernel<T>, block_count(args), kThreads, args);
    }
    launch(context, sgd_kernel<T>, block_count(args), kThreads, args,
           sgd_numbers<T>(args, args.lr));
  };
  if (args.dtype == kFloat) return run(TypeTag<float>());
  if (args.dtype == kDouble) return run(TypeTag<double>());
  context.status = StatusCode::kUnsupportedDtype;
}

}  // namespace

void register_optim(KernelTable& table) {
  set<AdamArgs, adam>(table);
  set<SgdArgs, sgd>(table);
}

}  // namespace tern::cuda::device
